/** A field for JSON, Markdown or plain text: highlighted, searched, folded.  Its code comes when the first one is shown. */

import { lazy, Suspense } from "react";

import classes from "./CodeEditor.module.css";

export interface CodeEditorProps {
  value: string;
  onChange?: (value: string) => void;
  language?: "json" | "text" | "markdown";
  readOnly?: boolean;
  /** In pixels. */
  minHeight?: number;
  /** In pixels; it scrolls from there on. */
  maxHeight?: number;
  /** What it is for, for who does not see it. */
  label: string;
  autoFocus?: boolean;
  /** On Ctrl+Enter (⌘+Enter). */
  onSubmit?: () => void;
  /** The text is not what is asked for. */
  invalid?: boolean;
}

const CodeMirror = lazy(() => import("./CodeMirror"));

export function CodeEditor(props: CodeEditorProps) {
  const { minHeight = 60, maxHeight } = props;
  return (
    <div className={classes["editor"]} data-invalid={props.invalid ?? false} style={{ minHeight, maxHeight }}>
      <Suspense fallback={<pre className={classes["waiting"]}>{props.value}</pre>}>
        <CodeMirror {...props} />
      </Suspense>
    </div>
  );
}
