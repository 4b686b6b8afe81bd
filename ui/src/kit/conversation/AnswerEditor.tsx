/** What a model answers: its text, and the tools that it asks for, as forms. */

import { type AnswerMessage, answerText, edited, type Message, type Tool, writeAnswer } from "@/model/conversation";

import classes from "./conversation.module.css";
import { AddCall, Parts, TextField } from "./Parts";

export interface AnswerEditorProps {
  answer: AnswerMessage;
  tools: readonly Tool[];
  label: string;
  onChange: (value: unknown, problem: string | null) => void;
  onSubmit?: (() => void) | undefined;
}

export function AnswerEditor({ answer, tools, label, onChange, onSubmit }: AnswerEditorProps) {
  const { message, dialect } = answer;
  const said = answerText(message);
  const say = (next: Message, problem: string | null) => onChange(writeAnswer(answer, next), problem);
  const isEmpty = said !== null && said.text === "" && !message.parts.some((part) => samePlace(part.path, said.path));
  return (
    <div>
      {isEmpty && (
        <TextField
          label={label}
          text=""
          onChange={(text) => say(edited(message, said.path, text), null)}
          onSubmit={onSubmit}
        />
      )}
      <Parts message={message} tools={tools} label={label} onChange={say} onSubmit={onSubmit} />
      <div className={classes["foot"]}>
        <AddCall message={message} dialect={dialect} tools={tools} label={label} onChange={say} />
      </div>
    </div>
  );
}

function samePlace(one: readonly (string | number)[], other: readonly (string | number)[]): boolean {
  return one.join("\0") === other.join("\0");
}
