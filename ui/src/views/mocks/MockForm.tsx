/** A mock by hand: which calls of which component, and what they return instead. */

import { Button, Group, NativeSelect, NumberInput, Select, SegmentedControl } from "@mantine/core";
import { type FormEvent, useState } from "react";

import type { Edit } from "@/api/schema";
import { JsonField } from "@/kit/forms/JsonField";
import { ValueEditor } from "@/kit/ValueEditor";
import { type Answer, ANSWER_NAMES, ANSWERS } from "@/model/mocks";

import classes from "./Mocks.module.css";

export interface MockFormProps {
  components: readonly { component: string; call: string }[];
  add: (edit: Edit) => void;
  close: () => void;
}

type Which = "every" | "nth" | "where";

export function MockForm({ components, add, close }: MockFormProps) {
  const [component, setComponent] = useState<string | null>(null);
  const [which, setWhich] = useState<Which>("every");
  const [nth, setNth] = useState<number | string>(1);
  const [where, setWhere] = useState<unknown>({});
  const [answer, setAnswer] = useState<Answer>("mock_output");
  const [value, setValue] = useState<unknown>("");
  const [problems, setProblems] = useState<{ where: string | null; value: string | null }>({
    where: null,
    value: null,
  });
  const valued = answer === "mock_output" || answer === "raise";
  const wrong = (which === "where" && problems.where) || (valued && problems.value) || null;
  const call = components.find((known) => known.component === component)?.call;
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
    <form className={classes["form"]} aria-label="A new mock" onSubmit={done}>
      <Select
        label="Component"
        placeholder="Which agent, tool, model or step"
        searchable
        data={components.map((known) => ({ value: known.component, label: `${known.component} (${known.call})` }))}
        value={component}
        onChange={setComponent}
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
        onChange={(event) => setAnswer(event.currentTarget.value as Answer)}
        data={ANSWERS.map((known) => ({ value: known, label: ANSWER_NAMES[known] }))}
      />
      {valued && (
        <ValueEditor
          value={value}
          label={answer === "raise" ? "The error’s message" : "What it returns"}
          text
          onChange={(to, why) => {
            setValue(to);
            setProblems({ ...problems, value: why });
          }}
          onSubmit={() => done()}
        />
      )}
      {wrong && <p className={classes["problem"]}>{wrong}</p>}
      <Group gap={6}>
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
