/** The breakpoints of the run: switched, removed, and added by a small form or by typing a condition. */

import { ActionIcon, Button, Checkbox, Group, Modal, NativeSelect, NumberInput, Stack, TextInput } from "@mantine/core";
import { Autocomplete, Switch, Tooltip } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";

import { conditionOf, NO_PARTS, type Parts, readCondition, shortCondition } from "@/model/conditions";
import { CALLS } from "@/model/outline";
import { changeBreakpoint, setBreakpoint, useBreakpoints } from "@/state/breakpoints";
import { useComponents } from "@/state/components";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Breakpoints.module.css";

export function Breakpoints() {
  const { id, view } = useWorkspace();
  const points = useBreakpoints(id);
  const live = view.info?.live === true;
  const [adding, setAdding] = useState(false);
  const imported = view.info?.imported === true;
  return (
    <section className={classes["section"]} aria-label="Breakpoints">
      <div className={classes["head"]}>
        <h2 className={classes["title"]}>Breakpoints</h2>
        <Tooltip label={imported ? "An imported log has no program that could be held" : "Add a breakpoint"}>
          <ActionIcon size="sm" aria-label="Add a breakpoint" disabled={imported} onClick={() => setAdding(true)}>
            <IconPlus size={15} />
          </ActionIcon>
        </Tooltip>
      </div>
      <div className={classes["body"]}>
        {points.length === 0 ? (
          <p className={classes["none"]}>
            {imported
              ? "An imported log has no program that could be held."
              : "None. Click left of a component to hold there, or add a condition."}
          </p>
        ) : (
          <ul className={classes["list"]}>
            {points.map((point) => (
              <li key={point.id} className={classes["point"]} data-on={point.enabled}>
                <Switch
                  size="xs"
                  color="red"
                  aria-label={`Breakpoint ${point.text}`}
                  checked={point.enabled}
                  onChange={(event) => void changeBreakpoint(id, point.id, { enabled: event.currentTarget.checked })}
                />
                <span className={classes["text"]} title={point.text}>
                  {shortCondition(point.text)}
                </span>
                <ActionIcon
                  size="sm"
                  aria-label={`Remove ${point.text}`}
                  title="Remove it"
                  onClick={() => void changeBreakpoint(id, point.id, "removed")}
                >
                  <IconX size={13} />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        {points.length > 0 && !live && (
          <p className={classes["none"]}>
            The run has ended: these go with the next fork of it, or when it is run again.
          </p>
        )}
      </div>
      {adding && <AddBreakpoint onClose={() => setAdding(false)} />}
    </section>
  );
}

const WHERE = [
  { value: "text", label: "input or output" },
  { value: "input", label: "input" },
  { value: "output", label: "output" },
];

function numberOf(value: string | number): number | null {
  return typeof value === "number" ? value : null;
}

function AddBreakpoint({ onClose }: { onClose: () => void }) {
  const { id, view } = useWorkspace();
  const { nodes } = useComponents(id, view);
  const [parts, setParts] = useState<Parts>(NO_PARTS);
  const [written, setWritten] = useState<string | null>(null);
  const condition = written ?? conditionOf(parts);
  const { problem } = readCondition(condition);
  const set = (change: Partial<Parts>) => {
    setParts({ ...parts, ...change });
    setWritten(null);
  };
  const add = async () => {
    if (problem === null && (await setBreakpoint(id, condition))) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title="Hold where all of this is true"
      size="md"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Stack gap="sm">
          <Group grow align="flex-start" gap="sm">
            <NativeSelect
              label="Kind"
              size="xs"
              value={parts.kind}
              onChange={(event) => set({ kind: event.currentTarget.value })}
              data={[{ value: "", label: "any" }, ...CALLS]}
              data-autofocus
            />
            <Autocomplete
              label="Component"
              size="xs"
              placeholder="any; a path, its last part, or with *"
              value={parts.component}
              onChange={(component) => set({ component })}
              data={nodes.map((node) => node.path)}
              limit={50}
            />
          </Group>
          <TextInput
            label="Message type"
            size="xs"
            placeholder="any, as in TextMessage"
            value={parts.message}
            onChange={(event) => set({ message: event.currentTarget.value.trim() })}
          />
          <Group align="flex-end" gap="sm" wrap="nowrap">
            <TextInput
              label="Says"
              size="xs"
              flex={1}
              placeholder="any text"
              value={parts.text}
              onChange={(event) => set({ text: event.currentTarget.value })}
            />
            <NativeSelect
              aria-label="Where it says so"
              size="xs"
              value={parts.where}
              onChange={(event) => set({ where: event.currentTarget.value as Parts["where"] })}
              data={WHERE}
            />
          </Group>
          <Group grow align="flex-start" gap="sm">
            <NumberInput
              label="From so many tokens on"
              size="xs"
              min={0}
              value={parts.tokens ?? ""}
              onChange={(value) => set({ tokens: numberOf(value) })}
            />
            <NumberInput
              label="From the n-th time on"
              size="xs"
              min={1}
              value={parts.hits ?? ""}
              onChange={(value) => set({ hits: numberOf(value) })}
            />
          </Group>
          <Checkbox
            size="xs"
            label="Only what failed"
            checked={parts.error}
            onChange={(event) => set({ error: event.currentTarget.checked })}
          />
          <TextInput
            label="Condition"
            description="Written from the form above; or write it yourself."
            size="xs"
            classNames={{ input: "mono", description: "quiet" }}
            value={condition}
            onChange={(event) => setWritten(event.currentTarget.value)}
            error={condition === "" ? null : problem}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={problem !== null}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
