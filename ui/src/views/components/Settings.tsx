/** The settings of a component as a form: changed from now on in a live run, and in a fork of one that has ended. */

import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import type { Component, Edit } from "@/api/schema";
import { SchemaField } from "@/kit/forms/SchemaForm";
import { oneLine } from "@/kit/words";
import { type Did, settingsOf } from "@/model/components";
import { shortName } from "@/model/names";
import { problemsOf, problemText, same, titleOf } from "@/model/schema";
import { configure, fork } from "@/state/commands";
import { useDrafts } from "@/state/drafts";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./components.module.css";

export function Settings({ path, told, did }: { path: string; told: Component; did: Did | null }) {
  const { id, view, place, go } = useWorkspace();
  const navigate = useNavigate();
  const add = useDrafts((drafts) => drafts.add);
  const [changed, setChanged] = useState<{ [name: string]: unknown }>({});
  const [wrong, setWrong] = useState<{ [name: string]: string }>({});
  const [busy, setBusy] = useState(false);
  const { settings } = settingsOf(told);
  if (settings.length === 0) return null;
  const live = view.info?.live === true;
  const imported = view.info?.imported === true;
  const at = place.at ?? did?.first ?? 0;
  const edits = settings
    .filter(([name]) => name in changed && !same(changed[name], told.config[name]))
    .map(([key]): Edit => ({ op: "set_config", component: path, key, value: changed[key] }));
  const problems = [
    ...Object.values(wrong),
    ...edits.flatMap(({ key, value }) =>
      problemsOf(value, fieldSchema(told, key ?? ""), told.schema, key ?? "").map(problemText),
    ),
  ];
  const reset = () => {
    setChanged({});
    setWrong({});
  };
  const apply = async () => {
    setBusy(true);
    for (const { key, value } of edits) if (!(await configure(id, path, key ?? "", value))) break;
    setBusy(false);
    notifications.show({ message: `${shortName(path)}: from now on`, autoClose: 3000 });
  };
  const collect = () => {
    for (const edit of edits) add(id, edit, tell(edit));
    reset();
    go({ tray: true });
  };
  const forkHere = async () => {
    setBusy(true);
    const made = await fork(id, { at, edits });
    setBusy(false);
    if (made) void navigate({ to: "/runs/$run", params: { run: made.run }, search: {} });
  };
  const ready = edits.length > 0 && problems.length === 0;
  return (
    <section aria-label="Settings">
      <h3 className={classes["part"]}>Settings</h3>
      {settings.map(([name, schema]) => (
        <div key={name} className={classes["setting"]}>
          <SchemaField
            root={told.schema}
            disabled={imported || busy}
            schema={schema}
            name={name}
            required
            marked={false}
            value={name in changed ? changed[name] : told.config[name]}
            onChange={(value, problem) => {
              const { [name]: _, ...others } = wrong;
              setChanged({ ...changed, [name]: value ?? null });
              setWrong(problem === null ? others : { ...others, [name]: problem });
            }}
          />
        </div>
      ))}
      {edits.length > 0 && (
        <div className={classes["apply"]}>
          {live ? (
            <Button disabled={!ready} loading={busy} onClick={() => void apply()}>
              Apply from now on
            </Button>
          ) : (
            <Button disabled={!ready} loading={busy} onClick={() => void forkHere()}>
              Fork with this from #{at}
            </Button>
          )}
          <Button variant="default" disabled={!ready} onClick={collect}>
            Add to changes
          </Button>
          <Button variant="subtle" color="gray" onClick={reset}>
            Undo
          </Button>
          {problems.length > 0 && (
            <div role="alert" className={classes["problem"]}>
              {problems[0]}
            </div>
          )}
        </div>
      )}
    </section>
  );
}

function fieldSchema(told: Component, key: string): { [name: string]: unknown } {
  return settingsOf(told).settings.find(([name]) => name === key)?.[1] ?? {};
}

function tell({ component, key, value }: Edit): string {
  const said = typeof value === "string" ? `“${oneLine(value, 60)}”` : oneLine(JSON.stringify(value), 60);
  return `${shortName(component ?? "")}: ${titleOf(key ?? "")} is ${said}`;
}
