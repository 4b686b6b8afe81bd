import { useEffect, useRef } from "react";

import { Empty } from "@/kit/Empty";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Console.module.css";

/** What the program printed, in order; it stays at the end while one is there. */
export default function Console() {
  const { view } = useWorkspace();
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [view.console]);
  if (view.console.length === 0)
    return (
      <Empty title="The program has printed nothing">What it writes to its output and its errors comes here.</Empty>
    );
  return (
    <pre
      ref={box}
      className={classes["console"]}
      tabIndex={0}
      aria-label="Output of the program"
      onScroll={({ currentTarget: at }) => {
        atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 8;
      }}
    >
      {view.console.map((part) => (
        <span key={part.n} className={part.stream === 2 ? classes["error"] : undefined}>
          {plain(part.text)}
        </span>
      ))}
    </pre>
  );
}

/** Text without the sequences that colour a terminal. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
}
