/** What a code editor is given. */

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
