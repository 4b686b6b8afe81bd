import { useState } from "react";

import { CodeEditor } from "@/kit/CodeEditor";
import { type Json, parsedJson, prettyJson, same } from "@/model/schema";

import classes from "./forms.module.css";

export interface JsonFieldProps {
  value: Json;
  /** The value, or why what is written is none. */
  onChange: (value: Json, problem: string | null) => void;
  label: string;
  minHeight?: number;
  maxHeight?: number;
  autoFocus?: boolean;
  /** Whether what is wrong is told by who asked for it, not here. */
  quiet?: boolean;
  /** Whether an empty text is no value yet: nothing stands there for it. */
  blank?: boolean;
  onSubmit?: (() => void) | undefined;
}

/** Any value, written as JSON; what is no JSON yet stays as it is written. */
export function JsonField({
  value,
  onChange,
  label,
  minHeight = 60,
  maxHeight = 320,
  autoFocus,
  quiet = false,
  blank = false,
  onSubmit,
}: JsonFieldProps) {
  const written = (of: Json) => (blank && of === "" ? "" : prettyJson(of));
  const [text, setText] = useState(() => written(value));
  const [told, setTold] = useState<Json>(value);
  const { problem } = parsedJson(text === "" ? "null" : text);
  if (!same(told, value)) {
    // It was changed from elsewhere.
    setTold(value);
    setText(written(value));
  }
  const write = (next: string) => {
    const read = parsedJson(next === "" ? (blank ? '""' : "null") : next);
    setText(next);
    if (read.problem === null) setTold(read.value);
    onChange(read.problem === null ? read.value : value, read.problem);
  };
  return (
    <div>
      <CodeEditor
        language="json"
        value={text}
        onChange={write}
        label={label}
        minHeight={minHeight}
        maxHeight={maxHeight}
        invalid={problem !== null}
        {...(autoFocus && { autoFocus })}
        {...(onSubmit && { onSubmit })}
      />
      {problem !== null && !quiet && (
        <div role="alert" className={classes["problem"]}>
          {problem}
        </div>
      )}
    </div>
  );
}
