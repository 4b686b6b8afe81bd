/** An error as a debugger shows it: what it says, and the frames that led to it, with source and locals. */

import { Anchor } from "@mantine/core";

import type { Frame, Shape } from "@/model/body";
import { useSourceAddress } from "@/kit/SourceLink";

import classes from "./Body.module.css";

export function ErrorView({ error }: { error: Extract<Shape, { form: "error" }> }) {
  return (
    <div>
      <p className={classes["error"]}>
        <strong>{error.name}</strong>
        {error.message !== "" && `: ${error.message}`}
      </p>
      {error.frames.length > 0 && (
        <ol className={classes["frames"]} reversed>
          {error.frames
            .map((frame, n) => ({ frame, n }))
            .toReversed()
            .map(({ frame, n }) => (
              <li key={n}>
                <details open={n === error.frames.length - 1}>
                  <summary>
                    <span className="mono">{frame.function}</span>{" "}
                    <span className="quiet" title={frame.file}>
                      {shortFile(frame.file)}:{frame.line}
                    </span>
                  </summary>
                  <FrameView frame={frame} />
                </details>
              </li>
            ))}
        </ol>
      )}
    </div>
  );
}

function FrameView({ frame }: { frame: Frame }) {
  const address = useSourceAddress(frame.file, frame.line);
  return (
    <>
      {address !== null && (
        <Anchor href={address} size="sm" title={frame.file}>
          Open {shortFile(frame.file)}:{frame.line} in your editor
        </Anchor>
      )}
      <pre className={classes["source"]} tabIndex={0} aria-label={`Source of ${frame.function}`}>
        {frame.source.map((line) => (
          <span key={line.number} className={line.number === frame.line ? classes["here"] : undefined}>
            <span className={classes["line"]}>{line.number}</span>
            {line.text}
            {"\n"}
          </span>
        ))}
      </pre>
      {frame.locals.length > 0 && (
        <dl className={classes["locals"]}>
          {frame.locals.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function shortFile(file: string): string {
  return file.split("/").slice(-2).join("/");
}
