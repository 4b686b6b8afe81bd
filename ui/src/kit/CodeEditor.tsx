/** A field for JSON, Markdown or plain text: highlighted, searched, folded.  Its code comes when the first one is shown. */

import { lazy, Suspense } from "react";

import classes from "./CodeEditor.module.css";
import type { CodeEditorProps } from "./code-editor";

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
