/** The changes for the next fork of a run, how it is to be made, and the button that makes it. */

import {
  Alert,
  Button,
  Checkbox,
  FileButton,
  Group,
  MultiSelect,
  NumberInput,
  Radio,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { randomId } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconChevronRight, IconDownload, IconFileImport, IconGitFork, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { api, got } from "@/api/client";
import { count } from "@/kit/words";
import { cutOf, holdsFromStart, invokedIn, mocksFile, REPEATS, REUSES, tellMock } from "@/model/mocks";
import { tellChangedParts } from "@/model/code";
import { useCode } from "@/state/code";
import { attempt } from "@/state/commands";
import { type Draft, useDrafts } from "@/state/drafts";
import { useOfOutline } from "@/state/following";
import { useForking } from "@/state/forking";
import { useMocking } from "@/state/mocking";
import { useWorkspace } from "@/views/workspace/context";

import { DraftCard } from "./DraftCard";
import { MockForm } from "./MockForm";
import classes from "./Mocks.module.css";
import { useMakeFork } from "./useMakeFork";

const NONE: readonly Draft[] = [];

export function NextFork() {
  const { id, view } = useWorkspace();
  const drafts = useDrafts(({ byRun }) => byRun[id]) ?? NONE;
  const { add, remove, change, clear, put } = useDrafts();
  const [forking, set] = useForking(id);
  const components = useOfOutline(view.outline, invokedIn);
  const mocking = useMocking();
  const adding = mocking.run === id;
  const [more, setMore] = useState(false);
  const { busy, refusal, forgetRefusal, fork, runAgain } = useMakeFork(drafts);
  /** Those whose values are being changed. */
  const [changing, setChanging] = useState<ReadonlySet<number>>(new Set());
  const edits = drafts.map(({ edit }) => edit);
  const { info } = view;
  const imported = info?.imported === true;
  const open = adding
    ? "Add or cancel the mock first"
    : drafts.some((draft) => changing.has(draft.id))
      ? "Keep or cancel the changed value first"
      : undefined;
  const noStart =
    edits.length === 0
      ? "For changes that hold from the start, such as a mock of every call; there are none yet"
      : edits.every(holdsFromStart)
        ? undefined
        : "A change of a record or a setting holds in a fork only";

  const changes = (draft: number, begins: boolean) =>
    setChanging(new Set(begins ? [...changing, draft] : [...changing].filter((one) => one !== draft)));
  const undoable = (what: string) => {
    const before = [...drafts];
    const note = randomId();
    notifications.show({
      id: note,
      message: (
        <Group justify="space-between" wrap="nowrap">
          {what}
          <Button
            variant="light"
            onClick={() => {
              put(id, before);
              notifications.hide(note);
            }}
          >
            Undo
          </Button>
        </Group>
      ),
    });
  };
  const load = async (file: File | null) => {
    if (file === null) return;
    const read = await attempt(`${file.name} cannot be read as mocks`, async () => {
      const document: unknown = JSON.parse(await file.text());
      return got(api.POST("/api/mocks", { body: { document } }));
    });
    if (read === undefined) return;
    for (const edit of read.edits) add(id, edit, tellMock(edit));
    if (read.live.length > 0) set({ live: [...new Set([...forking.live, ...read.live])] });
    notifications.show({ message: `${count(read.edits.length, "mock")} from ${file.name}` });
  };
  const { document: file, others } = mocksFile(edits, forking.live);
  const first = cutOf(edits);

  return (
    <div className={classes["next"]}>
      <div className={classes["scroll"]}>
        <div className={classes["collected"]}>
          {imported && (
            <Alert color="gray" title="There is no program behind this run">
              It was read from a log, so it can be read, searched and compared, and not run again.
            </Alert>
          )}
          {drafts.length === 0 && !adding && !imported && (
            <div className={classes["empty"]}>
              <b>No changes are collected yet</b>
              <p>
                Select a message or an output, change it in the inspector and choose “Add to changes”. Or add a mock:
                what a component returns instead of being executed. Then make all of them in one fork.
              </p>
            </div>
          )}
          {drafts.length > 0 && (
            <ul className={classes["drafts"]} aria-label="Collected changes">
              {drafts.map((draft) => (
                <li key={draft.id}>
                  <DraftCard
                    draft={draft}
                    refusal={refusal?.draft === draft.id ? refusal.message : null}
                    save={(edit) => {
                      change(id, draft.id, edit, draft.told);
                      forgetRefusal();
                    }}
                    remove={() => {
                      undoable(`Removed: ${draft.told}`);
                      changes(draft.id, false);
                      remove(id, draft.id);
                    }}
                    onChanging={(begins) => changes(draft.id, begins)}
                  />
                </li>
              ))}
            </ul>
          )}
          {adding && (
            <MockForm
              key={mocking.of?.component ?? ""}
              components={components}
              of={mocking.of}
              add={(edit) => {
                add(id, edit, tellMock(edit));
                mocking.end();
              }}
              close={mocking.end}
            />
          )}
          {!imported && (
            <Group gap={6}>
              {!adding && (
                <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => mocking.begin(id, null)}>
                  Add a mock
                </Button>
              )}
              <FileButton accept=".json,application/json" onChange={(given) => void load(given)}>
                {(props) => (
                  <Button {...props} variant="default" leftSection={<IconFileImport size={14} />}>
                    From a file
                  </Button>
                )}
              </FileButton>
              {(file.mocks.length > 0 || file.live !== undefined) && (
                <Button
                  variant="default"
                  leftSection={<IconDownload size={14} />}
                  title={
                    others > 0
                      ? `As mocks.json, for --mocks; ${count(others, "change")} that ${others === 1 ? "is no mock stays" : "are no mocks stay"} out`
                      : "As mocks.json, for --mocks on the command line and in CI"
                  }
                  onClick={() => save(JSON.stringify(file, null, 2))}
                >
                  Save as a file
                </Button>
              )}
              {drafts.length > 1 && (
                <Button
                  variant="subtle"
                  color="gray"
                  onClick={() => {
                    undoable(`Removed ${count(drafts.length, "change")}`);
                    setChanging(new Set());
                    clear(id);
                  }}
                >
                  Remove all
                </Button>
              )}
            </Group>
          )}
        </div>
        {!imported && (
          <div className={classes["how"]}>
            <Radio.Group
              label="What is served from the record"
              value={forking.reuse}
              onChange={(reuse) => set({ reuse: reuse as typeof forking.reuse })}
            >
              <div className={classes["ways"]}>
                {REUSES.map(({ value, label, about }) => (
                  <Radio key={value} size="sm" value={value} label={label} description={about} />
                ))}
              </div>
            </Radio.Group>
            <UnstyledButton aria-expanded={more} className={classes["more"]} onClick={() => setMore(!more)}>
              <IconChevronRight size={14} data-open={more || undefined} className={classes["chevron"]} aria-hidden />
              More: where it is cut, what is always executed, effects, its name
            </UnstyledButton>
            {more && (
              <div className={classes["fields"]}>
                <NumberInput
                  label="Cut"
                  description="The first record that is about to happen again"
                  placeholder={
                    first === null ? "where a change first applies, or the end" : `the first change, ${first}`
                  }
                  min={0}
                  max={view.outline.length}
                  allowDecimal={false}
                  value={forking.at ?? ""}
                  onChange={(at) => set({ at: at === "" ? null : Number(at) })}
                />
                <MultiSelect
                  label="Executed in any case"
                  description="Components that are never served from the record"
                  searchable
                  data={[...new Set([...components.map(({ component }) => component), ...forking.live])]}
                  value={forking.live}
                  onChange={(live) => set({ live })}
                />
                <Radio.Group
                  label="Calls with an effect that were made before"
                  value={forking.repeat}
                  onChange={(repeat) => set({ repeat: repeat as typeof forking.repeat })}
                >
                  <div className={classes["ways"]}>
                    {REPEATS.map(({ value, label, about }) => (
                      <Radio key={value} size="sm" value={value} label={label} description={about} />
                    ))}
                  </div>
                </Radio.Group>
                <Checkbox
                  size="sm"
                  label="Serve calls that failed, too"
                  description="Otherwise they are tried again after the cut"
                  checked={forking.serveFailures}
                  onChange={(event) => set({ serveFailures: event.currentTarget.checked })}
                />
                <TextInput
                  label="Name"
                  value={forking.name}
                  onChange={(event) => set({ name: event.currentTarget.value })}
                />
              </div>
            )}
            <Checkbox
              size="sm"
              label="Hold it where the record ends"
              checked={forking.pause}
              onChange={(event) => set({ pause: event.currentTarget.checked })}
            />
          </div>
        )}
      </div>
      {!imported && <ChangedCode />}
      {!imported && (
        <footer className={classes["foot"]}>
          {refusal !== null && refusal.draft === -1 && (
            <Alert color="red" role="alert" title="It cannot be made like that">
              {refusal.message}
            </Alert>
          )}
          {open !== undefined && <p className={classes["off"]}>{open}.</p>}
          <div className={classes["buttons"]}>
            <Button
              leftSection={<IconGitFork size={15} />}
              loading={busy === "fork"}
              disabled={open !== undefined || busy === "run"}
              title={open}
              onClick={() => void fork()}
            >
              {edits.length === 0 ? "Fork without a change" : `Fork with ${count(edits.length, "change")}`}
            </Button>
            <Button
              variant="default"
              loading={busy === "run"}
              disabled={open !== undefined || noStart !== undefined || busy === "fork"}
              title={
                open ?? noStart ?? "A new run of the same target and input, in which these mocks hold from the start"
              }
              onClick={() => void runAgain()}
            >
              Run from the start with them
            </Button>
          </div>
        </footer>
      )}
    </div>
  );
}

/** What of the program is not what the run was recorded with, and what a fork does about that. */
function ChangedCode() {
  const { id, view } = useWorkspace();
  const code = useCode(id, view.info?.live ?? false);
  const told = code === null ? "" : tellChangedParts(code);
  if (told === "") return null;
  return (
    <p className={classes["changed"]} role="status">
      <b>{told}.</b> After the cut the new code is executed; before it the record holds.
    </p>
  );
}

/** Give a text to the browser as a file. */
function save(text: string): void {
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "mocks.json";
  link.click();
  URL.revokeObjectURL(address);
}
