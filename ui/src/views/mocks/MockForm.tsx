/** A mock by hand: which calls of which component, and what they return instead. */

import { Button, Group, NativeSelect, NumberInput, Select, SegmentedControl } from "@mantine/core";
import { type FormEvent, useMemo, useState } from "react";

import type { Edit } from "@/api/schema";
import { onEscape } from "@/kit/escape";
import { JsonField } from "@/kit/forms/JsonField";
import { ValueEditor } from "@/kit/ValueEditor";
import { type Answer, ANSWER_NAMES, ANSWERS, lastResult } from "@/model/mocks";
import { useBody } from "@/state/bodies";
import type { Mocked } from "@/state/mocking";
import { useRecord } from "@/state/run";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Mocks.module.css";

export interface MockFormProps {
  components: readonly Mocked[];
  /** What is mocked, where that is chosen already. */
  of: Mocked | null;
  add: (edit: Edit) => void;
  close: () => void;
}

type Which = "every" | "nth" | "where";

export function MockForm({ components, of, add, close }: MockFormProps) {
  const known = useMemo(
    () =>
      of === null || components.some(({ component }) => component === of.component) ? components : [of, ...components],
    [components, of],
  );
  const [component, setComponent] = useState(of?.component ?? null);
  const [which, setWhich] = useState<Which>("every");
  const [nth, setNth] = useState<number | string>(1);
  const [where, setWhere] = useState<unknown>({});
  const [answer, setAnswer] = useState<Answer>("mock_output");
  const [written, setWritten] = useState<unknown>(undefined);
  const [problems, setProblems] = useState<{ where: string | null; value: string | null }>({
    where: null,
    value: null,
  });
  const valued = answer === "mock_output" || answer === "raise";
  const wrong = (which === "where" && problems.where) || (valued && problems.value) || null;
  const call = known.find((one) => one.component === component)?.call;
  const recorded = useRecorded(component);
  const usual = answer === "raise" ? "" : recorded === undefined && call === "tool" ? null : (recorded ?? "");
  const value = written === undefined ? usual : written;
  const done = (event?: FormEvent) => {
    event?.preventDefault();
    if (component === null || wrong) return;
    add({
      op: answer,
      component,
      ...(call && { call }),
      ...(which === "nth" && { occurrence: Number(nth) || 1 }),
      ...(which === "where" && { where }),
      ...(valued && { value }),
    });
  };
  return (
    <form className={classes["form"]} aria-label="A new mock" onSubmit={done} onKeyDown={onEscape(close)}>
      <Select
        label="Component"
        autoFocus={of === null}
        openOnFocus={false}
        placeholder="Which agent, tool, model or step"
        searchable
        data={known.map((one) => ({
          value: one.component,
          label: one.call ? `${one.component} (${one.call})` : one.component,
        }))}
        value={component}
        onChange={(next) => {
          setComponent(next);
          setProblems({ ...problems, value: null });
        }}
      />
      <Group gap={8} align="end">
        <SegmentedControl
          size="xs"
          aria-label="Which of its calls"
          value={which}
          onChange={(next) => setWhich(next as Which)}
          data={[
            { value: "every", label: "every call" },
            { value: "nth", label: "one call" },
            { value: "where", label: "where its input fits" },
          ]}
        />
        {which === "nth" && (
          <NumberInput
            size="xs"
            w={84}
            aria-label="Which call, from 1"
            min={1}
            allowDecimal={false}
            value={nth}
            onChange={setNth}
          />
        )}
      </Group>
      {which === "where" && (
        <div>
          <JsonField
            value={where}
            label="Pattern over the input"
            minHeight={54}
            onChange={(to, why) => {
              setWhere(to);
              setProblems({ ...problems, where: why });
            }}
          />
          <p className={classes["hint"]}>
            Fields that the input has, such as {'{"query": "walks"}'}; {'{"$regex": "^K"}'} for a text in which it is
            found, {'{"$any": true}'} for anything.
          </p>
        </div>
      )}
      <NativeSelect
        label="It"
        value={answer}
        onChange={(event) => {
          setAnswer(event.currentTarget.value as Answer);
          setProblems({ ...problems, value: null });
        }}
        data={ANSWERS.map((known) => ({ value: known, label: ANSWER_NAMES[known] }))}
      />
      {valued && (
        <ValueEditor
          key={`${component} ${answer} ${recorded === undefined}`}
          value={value}
          json={typeof value !== "string"}
          autoFocus={of !== null}
          label={answer === "raise" ? "The error’s message" : "What it returns"}
          text
          onChange={(to, why) => {
            setWritten(to);
            setProblems({ ...problems, value: why });
          }}
          onSubmit={() => done()}
        />
      )}
      <Group gap={6} className={classes["end"] ?? ""}>
        {wrong && <p className={classes["problem"]}>{wrong}</p>}
        <Button type="submit" disabled={component === null || Boolean(wrong)}>
          Add
        </Button>
        <Button variant="subtle" color="gray" onClick={close}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

/** What the last call of a component has returned; undefined where that is not known, or not yet. */
function useRecorded(component: string | null): unknown {
  const { run, view } = useWorkspace();
  // What comes while the form is open does not change what it began with.
  // oxlint-disable-next-line react/exhaustive-deps
  const seq = useMemo(() => (component === null ? null : lastResult(view.outline, component)), [component]);
  const record = useRecord(run, seq ?? undefined);
  const { data, isPlaceholderData } = useBody(record?.hash);
  return seq === null || !record?.hash || isPlaceholderData ? undefined : data;
}
