/** Something that is held: why, with what, and what can be answered. */

import { Button, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";

import type { PendingHold } from "@/api/schema";
import { BodyView } from "@/kit/body/BodyView";
import { onEscape } from "@/kit/escape";
import { ValueEditor } from "@/kit/ValueEditor";
import { moment } from "@/kit/words";
import { tellHold } from "@/model/control";
import { readConversation } from "@/model/conversation";
import { answersTo, type HoldAnswer, subjectOf } from "@/model/pending";
import { isFields, type Schema } from "@/model/schema";
import { forgetAnswer, useWritten, writeAnswer } from "@/state/answering";
import { control, fork, release, setAnswer } from "@/state/commands";
import { Templates } from "@/views/inspector/Templates";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Pending.module.css";

const GIVING = { input: "What goes in instead", result: "What comes back", error: "What the error says" } as const;

export interface HoldCardProps {
  hold: PendingHold;
  schema: Schema | null;
  /** Whether nothing else is held: then the verbs of the bar are about this. */
  alone: boolean;
}

export function HoldCard({ hold, schema, alone }: HoldCardProps) {
  const { id, select } = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const answers = answersTo(hold);
  const written = useWritten(id, hold.hold);
  const giving = answers.find((answer) => answer.label === written?.label) ?? null;
  const asks = hold.when === "input";
  const about = subjectOf(hold);
  const give = async (answer: HoldAnswer, value?: unknown) => {
    setBusy(true);
    const done = await release(id, { ...answer.release(value), hold: hold.hold });
    setBusy(false);
    if (done) forgetAnswer(id, hold.hold);
  };
  const keep = async (answer: HoldAnswer | null, value?: unknown) => {
    setBusy(true);
    const said = answer === null ? ({ verb: "proceed" } as const) : answer.release(value);
    const done = await setAnswer(id, { ...said, hold: hold.hold });
    if (done) {
      forgetAnswer(id, hold.hold);
      await queries.invalidateQueries({ queryKey: ["pending", id] });
    }
    setBusy(false);
    return done;
  };
  const keepAndContinue = async (answer: HoldAnswer, value: unknown) => {
    if (!alone) return give(answer, value);
    if (await keep(answer, value)) await control(id, "continue");
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
      variant={answer.usual && !answer.plain ? "filled" : "default"}
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
  const told = hold.when === "after" ? (hold.failed ? "Error" : "Result") : "Input";
  const { given } = hold;
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
      {given !== null && given !== undefined && giving === null && (
        <section className={classes["given"]} aria-label="What you set">
          <BodyView
            value={given.value}
            label={
              given.verb === "proceed"
                ? "You set what goes in"
                : given.failed
                  ? "You set the error"
                  : "You set the result"
            }
          />
          <p className={classes["kept"]}>It holds as soon as this goes on: continue (F5) or step (F10, F11).</p>
          <Button variant="default" size="compact-xs" disabled={busy} onClick={() => void keep(null)}>
            Take it back
          </Button>
        </section>
      )}
      {!asks && hold.body !== null && (
        <div className={classes["value"]}>
          <BodyView value={hold.value} label={told} />
        </div>
      )}
      {shown?.needs != null && (
        <Giving
          key={shown.label}
          answer={shown}
          hold={hold}
          title={asks ? "Your answer" : GIVING[shown.needs]}
          first={shown.needs === "error" ? "" : firstValue(hold, shown)}
          written={written?.value}
          schema={shown.needs === "input" ? schema : null}
          busy={busy}
          onWrite={(value) => writeAnswer(id, hold.hold, { label: shown.label, value })}
          onGive={(value) => void (asks ? give(shown, value) : keepAndContinue(shown, value))}
          onSet={asks ? null : (value) => void keep(shown, value)}
          onCancel={asks ? null : () => forgetAnswer(id, hold.hold)}
        />
      )}
      {giving === null && !asks && (
        <div className={classes["buttons"]}>
          {answers.filter((answer) => !(answer.plain && alone)).map(button)}
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
  hold: PendingHold;
  title: string;
  /** What is there to begin with. */
  first: unknown;
  /** What has been written instead; undefined where nothing has. */
  written: unknown;
  schema: Schema | null;
  busy: boolean;
  onWrite: (value: unknown) => void;
  /** Give it, and let the run go on. */
  onGive: (value: unknown) => void;
  /** Give it and hold on; null where that makes no sense. */
  onSet: ((value: unknown) => void) | null;
  onCancel: (() => void) | null;
}

function Giving(props: GivingProps) {
  const { answer, hold, title, first, written, schema, busy, onWrite, onGive, onSet, onCancel } = props;
  const value = written === undefined ? first : written;
  const isAnswer = answer.needs === "result" && hold.call === "model";
  const tools = useMemo(
    () => (isAnswer ? (readConversation(hold.value)?.tools ?? []) : undefined),
    [isAnswer, hold.value],
  );
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
    <div
      ref={box}
      role="group"
      aria-label={title}
      className={classes["editor"]}
      onKeyDown={onCancel === null ? undefined : onEscape(onCancel)}
    >
      <div className={classes["editorHead"]}>
        <h5 className={classes["editorTitle"]}>{title}</h5>
        {answer.needs === "result" && hold.call !== null && <Templates component={hold.component} onUse={onWrite} />}
      </div>
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
          tools={tools}
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
        {onSet !== null && (
          <Button
            variant="default"
            disabled={problem !== null || busy}
            title="It stays held: look at it, then continue or step"
            onClick={() => onSet(value)}
          >
            Set
          </Button>
        )}
        <Button loading={busy} disabled={problem !== null} title="Ctrl+Enter" onClick={give}>
          {onSet === null ? answer.label : "Set and continue"}
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
