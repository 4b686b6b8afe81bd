/**
 * Another value instead of one: message by message where it is a conversation, its text where it is one, a form where it has
 * fields, JSON in any case.
 */

import { SegmentedControl, Textarea } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";

import { soleText } from "@/model/body";
import { inferredSchema, readAnswer, readConversation, type Tool } from "@/model/conversation";
import {
  initialOf,
  isFields,
  type Json,
  problemsOf,
  problemText,
  propertiesOf,
  resolved,
  type Schema,
  withText,
} from "@/model/schema";

import { AnswerEditor } from "./conversation/AnswerEditor";
import { ConversationEditor } from "./conversation/ConversationEditor";
import { RequestSettings } from "./conversation/RequestSettings";
import { JsonField } from "./forms/JsonField";
import { SchemaForm } from "./forms/SchemaForm";
import classes from "./forms/forms.module.css";

type Way = "messages" | "settings" | "answer" | "text" | "form" | "json";

const WAYS: Record<Way, string> = {
  messages: "Messages",
  settings: "Tools and settings",
  answer: "Answer",
  text: "Text",
  form: "Form",
  json: "JSON",
};

export interface ValueEditorProps {
  value: Json;
  /** The new value, and why it cannot be given yet.  A text stands for a value that says one text. */
  onChange: (value: Json, problem: string | null) => void;
  /** The value that was there before anything was written; the first one unless it is said. */
  base?: Json;
  label: string;
  schema?: Schema | null | undefined;
  /** The tools that a model was told of, where the value is what a model answers. */
  tools?: readonly Tool[] | undefined;
  /** Whether a text may be given where the value is none. */
  text?: boolean;
  /** Whether it is written as JSON to begin with. */
  json?: boolean;
  /** Whether an empty text is no value yet. */
  blank?: boolean;
  autoFocus?: boolean;
  /** On Ctrl+Enter (⌘+Enter). */
  onSubmit?: (() => void) | undefined;
}

export function ValueEditor(props: ValueEditorProps) {
  const {
    value,
    onChange,
    label,
    schema,
    tools,
    text = false,
    json = false,
    blank = false,
    autoFocus,
    onSubmit,
  } = props;
  const sole = soleText(value);
  const [base] = useState(props.base ?? value);
  const form = schema && propertiesOf(resolved(schema, schema).schema).length > 0 ? schema : null;
  const fields = useMemo(() => form ?? fieldsOf(base), [form, base]);
  const first = useMemo(() => readConversation(base), [base]);
  const conversation = useMemo(() => readConversation(value), [value]);
  const answer = useMemo(() => (tools === undefined ? null : readAnswer(value)), [tools, value]);
  const ways = waysOf();
  const [asked, ask] = useState<Way | null>(json ? "json" : null);
  const way = asked !== null && ways.includes(asked) ? asked : (ways[0] ?? "json");
  const written = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (autoFocus) written.current?.focus();
  }, [autoFocus]);
  const checked = (next: Json) => {
    const problem = form && typeof next !== "string" ? problemsOf(next, form)[0] : undefined;
    return problem === undefined ? null : problemText(problem);
  };
  function waysOf(): Way[] {
    if (conversation !== null) {
      const beside = conversation.tools.length + Object.keys(conversation.settings).length;
      return ["messages", ...(beside > 0 ? ["settings" as const] : []), "json"];
    }
    if (answer !== null) return ["answer", "json"];
    const told: Way[] = sole !== null || text ? ["text"] : [];
    return [...told, ...(fields !== null && (form !== null || isFields(value)) ? ["form" as const] : []), "json"];
  }
  return (
    <div>
      {ways.length > 1 && (
        <div className={classes["bar"]}>
          <SegmentedControl
            size="xs"
            aria-label={`How to write: ${label}`}
            value={way}
            onChange={(next) => {
              ask(next);
              const whole = next === "text" ? value : wholeOf(base, value, form);
              onChange(whole, checked(whole));
            }}
            data={ways.map((one) => ({ value: one, label: WAYS[one] }))}
          />
        </div>
      )}
      {way === "messages" && conversation !== null && (
        <ConversationEditor
          conversation={conversation}
          label={label}
          autoFocus={autoFocus}
          onChange={onChange}
          onSubmit={onSubmit}
        />
      )}
      {way === "settings" && conversation !== null && (
        <RequestSettings conversation={conversation} first={first ?? conversation} onChange={onChange} />
      )}
      {way === "answer" && answer !== null && (
        <AnswerEditor answer={answer} tools={tools ?? []} label={label} onChange={onChange} onSubmit={onSubmit} />
      )}
      {way === "text" && (
        <Textarea
          ref={written}
          aria-label={label}
          autosize
          minRows={3}
          maxRows={18}
          value={sole ?? ""}
          onChange={(event) => onChange(event.currentTarget.value, null)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSubmit?.();
          }}
        />
      )}
      {way === "form" && fields !== null && (
        <SchemaForm
          schema={fields}
          value={value}
          label={label}
          onChange={(next, problem) => onChange(next, problem ?? checked(next))}
        />
      )}
      {way === "json" && (
        <JsonField
          value={value}
          label={label}
          quiet
          blank={blank}
          minHeight={90}
          onChange={onChange}
          onSubmit={onSubmit}
          {...(autoFocus && { autoFocus })}
        />
      )}
    </div>
  );
}

/** The form of a value that nothing says the schema of; null where it has no fields that could be told. */
function fieldsOf(value: Json): Schema | null {
  return isFields(value) && !("$type" in value) && Object.keys(value).length > 0 ? inferredSchema(value) : null;
}

/** The value that a text was written for, with that text in it. */
function wholeOf(base: Json, value: Json, form: Schema | null): Json {
  if (typeof value !== "string") return value;
  const before = soleText(base);
  if (before !== null && typeof base !== "string") return withText(base, before, value);
  const empty = form === null ? null : initialOf(form);
  return isFields(empty) && "content" in empty ? { ...empty, content: value } : value;
}
