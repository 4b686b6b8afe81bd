/** Something that is held: why, with what, and what can be answered. */

import { Button, Textarea } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

import type { PendingHold } from "@/api/schema";
import { BodyView } from "@/kit/body/BodyView";
import { ValueEditor } from "@/kit/ValueEditor";
import { moment } from "@/kit/words";
import { tellHold } from "@/model/control";
import { answersTo, type HoldAnswer } from "@/model/pending";
import { isFields, type Schema } from "@/model/schema";
import { VERB_NAMES } from "@/state/actions";
import { forgetAnswer, useWritten, writeAnswer } from "@/state/answering";
import { control, fork, release } from "@/state/commands";
import { useWorkspace } from "@/views/workspace/context";
import { useNavigate } from "@tanstack/react-router";

import classes from "./Pending.module.css";

const STEPS = ["next", "step", "out"] as const;
const GIVING = { input: "What goes in instead", result: "What comes back", error: "What the error says" } as const;

export function HoldCard({ hold, schema }: { hold: PendingHold; schema: Schema | null }) {
  const { id, select } = useWorkspace();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const answers = answersTo(hold);
  const written = useWritten(id, hold.hold);
  const giving = answers.find((answer) => answer.label === written?.label) ?? null;
  const asks = hold.when === "input";
  const about = hold.message ?? hold.invocation ?? hold.parent;
  const give = async (answer: HoldAnswer, value?: unknown) => {
    setBusy(true);
    const done = await release(id, { ...answer.release(value), hold: hold.hold });
    setBusy(false);
    if (done) forgetAnswer(id, hold.hold);
  };
  const retry = async () => {
    if (hold.invocation === null) return;
    const seq = hold.invocation;
    const made = await fork(id, { at: seq, edits: [{ op: "execute", seq }] });
    if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  };
  const shown = giving ?? (asks ? (answers[0] ?? null) : null);
  const button = (answer: HoldAnswer) => (
    <Button
      key={answer.label}
      variant={answer.usual ? "filled" : "default"}
      disabled={busy || giving !== null}
      {...(answer.harsh && { c: "var(--ot-failed)" })}
      onClick={() =>
        answer.needs === null
          ? void give(answer)
          : writeAnswer(id, hold.hold, { label: answer.label, value: undefined })
      }
    >
      {answer.label}
    </Button>
  );
  return (
    <article className={classes["hold"]} aria-label={`Held: ${tellHold(hold)}`}>
      <div className={classes["holdHead"]}>
        <h4 className={classes["holdTitle"]}>{tellHold(hold)}</h4>
        {about !== null && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => select(about)}>
            #{about}
          </Button>
        )}
        <span className={classes["time"]}>since {moment(hold.since)}</span>
      </div>
      <div className={classes["why"]}>
        {hold.component}
        {hold.type !== "" && ` · ${hold.type}`}
        {hold.reason !== "" && ` · ${hold.reason}`}
        {hold.effects !== null && ` · effects: ${hold.effects}`}
      </div>
      {!asks && hold.body !== null && giving === null && (
        <div className={classes["value"]}>
          <BodyView value={hold.value} label={hold.when === "after" ? (hold.failed ? "Error" : "Result") : "Input"} />
        </div>
      )}
      {shown?.needs != null && (
        <Giving
          key={shown.label}
          answer={shown}
          title={asks ? "Your answer" : GIVING[shown.needs]}
          first={shown.needs === "error" ? "" : firstValue(hold, shown)}
          written={written?.value}
          schema={shown.needs === "input" ? schema : null}
          busy={busy}
          onWrite={(value) => writeAnswer(id, hold.hold, { label: shown.label, value })}
          onGive={(value) => void give(shown, value)}
          onCancel={asks ? null : () => forgetAnswer(id, hold.hold)}
        />
      )}
      {!asks && (
        <div className={classes["buttons"]}>
          {answers.filter((answer) => answer.needs === null && !answer.harsh).map(button)}
          {hold.when !== "diverged" &&
            STEPS.map((verb) => (
              <Button
                key={verb}
                variant="default"
                title={VERB_NAMES[verb].keys}
                disabled={giving !== null}
                onClick={() => void control(id, verb, hold.hold)}
              >
                {VERB_NAMES[verb].label}
              </Button>
            ))}
        </div>
      )}
      {giving !== null && !asks && (
        <p className={classes["kept"]}>What you write is kept. Give it or cancel it to go on in another way.</p>
      )}
      {giving === null && !asks && (
        <div className={classes["more"]}>
          {answers.filter((answer) => answer.needs !== null || answer.harsh).map(button)}
          {hold.when === "after" && hold.failed && hold.invocation !== null && (
            <Button variant="default" onClick={() => void retry()}>
              Try again in a fork
            </Button>
          )}
        </div>
      )}
    </article>
  );
}

function firstValue(hold: PendingHold, answer: HoldAnswer): unknown {
  if (hold.when === "input" || (hold.when === "after" && hold.failed)) return "";
  return answer.needs === "input" || hold.when === "after" ? hold.value : "";
}

interface GivingProps {
  answer: HoldAnswer;
  title: string;
  /** What is there to begin with. */
  first: unknown;
  /** What has been written instead; undefined where nothing has. */
  written: unknown;
  schema: Schema | null;
  busy: boolean;
  onWrite: (value: unknown) => void;
  onGive: (value: unknown) => void;
  onCancel: (() => void) | null;
}

function Giving({ answer, title, first, written, schema, busy, onWrite, onGive, onCancel }: GivingProps) {
  const value = written === undefined ? first : written;
  const [problem, setProblem] = useState<string | null>(null);
  const give = () => {
    if (problem === null && !busy) onGive(value);
  };
  const box = useRef<HTMLDivElement>(null);
  const asked = onCancel !== null;
  useEffect(() => {
    if (asked) box.current?.scrollIntoView({ block: "nearest" });
  }, [asked]);
  return (
    <div ref={box} className={classes["editor"]}>
      <h5 className={classes["editorTitle"]}>{title}</h5>
      {answer.needs === "error" ? (
        <Textarea
          aria-label={title}
          autosize
          minRows={2}
          autoFocus={asked}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onWrite(event.currentTarget.value)}
        />
      ) : (
        <ValueEditor
          label={title}
          value={value}
          text={answer.needs === "result"}
          autoFocus={asked}
          base={first}
          schema={isFields(value) && "$type" in value ? null : schema}
          onChange={(next, wrong) => {
            onWrite(next);
            setProblem(wrong);
          }}
          onSubmit={give}
        />
      )}
      {problem !== null && (
        <div role="alert" className={classes["problem"]}>
          {problem}
        </div>
      )}
      <div className={classes["buttons"]} style={{ paddingInline: 0, paddingBottom: 0 }}>
        <Button loading={busy} disabled={problem !== null} onClick={give}>
          {answer.label.replace("…", "")}
        </Button>
        {onCancel !== null && (
          <Button variant="subtle" color="gray" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </div>
  );
}
