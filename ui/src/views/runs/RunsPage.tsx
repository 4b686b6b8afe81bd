/** All runs: the first page.  From here one opens a run, starts one, brings one in. */

import {
  ActionIcon,
  Button,
  CloseButton,
  FileButton,
  Loader,
  Menu,
  SegmentedControl,
  Select,
  TextInput,
} from "@mantine/core";
import { useDocumentTitle, useHotkeys } from "@mantine/hooks";
import {
  IconArrowsDiff,
  IconDotsVertical,
  IconFileImport,
  IconList,
  IconPlayerPlay,
  IconSchool,
  IconSearch,
  IconSitemap,
  IconTrash,
} from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";

import type { RunSummary } from "@/api/schema";
import { count } from "@/kit/words";
import { OUTCOMES, type RunsPlace, STATES } from "@/model/filters";
import { flatRows, SORTS, type SortBy, type Sorting, treeRows } from "@/model/runs";
import { useTryDemo } from "@/state/actions";
import { control, fork, runAgain } from "@/state/commands";
import { useRuns } from "@/state/runs";
import { SchemeToggle } from "@/views/shell/SchemeToggle";
import { ServerNotice } from "@/views/shell/ServerNotice";
import { useNotices } from "@/views/shell/useNotices";

import { CompareWith } from "./CompareWith";
import { DeleteRuns } from "./DeleteRuns";
import { Dropping, useImport } from "./importing";
import { NewRun, type Beginning } from "./NewRun";
import { NoRuns } from "./NoRuns";
import { RenameRun } from "./RenameRun";
import { RunList } from "./RunList";
import type { RunActions } from "./RunMenu";
import classes from "./RunsPage.module.css";

/** What is asked before something is done. */
type Asked =
  | { what: "run"; from: Beginning | null }
  | { what: "compare"; run: string }
  | { what: "rename"; run: RunSummary }
  | { what: "delete"; runs: string[] }
  | null;

export function RunsPage() {
  const { runs, known } = useRuns();
  const place = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked>(place.new ? { what: "run", from: null } : null);
  const { bring, busy } = useImport();
  const tryDemo = useTryDemo();
  const search = useRef<HTMLInputElement>(null);
  useDocumentTitle("Runs · Outtake");
  useNotices();
  useHotkeys([
    ["/", () => search.current?.focus()],
    ["n", () => setAsked({ what: "run", from: null })],
  ]);
  const now = useNow(runs.some(({ live }) => live));
  const go = (change: { [name in keyof RunsPlace]: RunsPlace[name] | undefined }) =>
    void navigate({ search: (before) => filled({ ...before, ...change }), replace: true });
  const sorting = sortingOf(place.sort);
  const rows = useMemo(() => {
    const how = sortingOf(place.sort);
    return how === null ? treeRows(runs, place, closed) : flatRows(runs, place, how, now);
  }, [runs, place, closed, now]);
  const specs = useMemo(
    () => [...new Set(runs.map(({ spec }) => spec))].filter(Boolean).toSorted((a, b) => a.localeCompare(b, "en")),
    [runs],
  );
  const found = rows.filter(({ aside }) => !aside).length;
  const narrowed = place.q || place.status || place.target || place.outcome;
  const picked = runs.filter(({ run }) => chosen.has(run));
  const open = (run: string) => void navigate({ to: "/runs/$run", params: { run } });
  const actions: RunActions = {
    again: (run) =>
      void runAgain(run.run).then((started) => {
        if (started) open(started.run);
      }),
    vary: (run) => setAsked({ what: "run", from: { like: run.run } }),
    fork: (run) =>
      void fork(run.run, {}).then((made) => {
        if (made) open(made.run);
      }),
    compare: (run) => setAsked({ what: "compare", run: run.run }),
    rename: (run) => setAsked({ what: "rename", run }),
    stop: (run) => void control(run.run, "stop"),
    remove: (ids) => setAsked({ what: "delete", runs: ids }),
  };
  const compared = (a: string, b: string) =>
    void navigate({ to: "/runs/$run", params: { run: b }, search: { vs: a, bottom: "compare" } });
  const sort = (by: SortBy) => {
    const down = sorting?.by === by ? !sorting.down : by !== "input" && by !== "target" && by !== "run";
    go({ sort: sorting?.by === by && sorting.down !== firstWay(by) ? undefined : (down ? "-" : "") + by });
  };
  return (
    <Dropping take={bring}>
      <div className={classes["page"]}>
        <header className={classes["header"]}>
          <h1 className={classes["name"]}>
            <img src="/icon.svg" alt="" width={20} height={20} /> Outtake
          </h1>
          <span className={classes["space"]} />
          <FileButton multiple onChange={(files) => void bring(files)}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                loading={busy}
                leftSection={<IconFileImport size={16} stroke={1.7} />}
              >
                Import
              </Button>
            )}
          </FileButton>
          <Button
            leftSection={<IconPlayerPlay size={16} stroke={1.7} />}
            onClick={() => setAsked({ what: "run", from: null })}
          >
            New run
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon aria-label="More to do" title="More to do">
                <IconDotsVertical size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconSchool size={16} stroke={1.7} />} onClick={() => void tryDemo()}>
                Try the demo
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <SchemeToggle />
        </header>
        <main className={classes["main"]}>
          <ServerNotice />
          {runs.length > 0 && (
            <div className={classes["tools"]} role="search" aria-label="Runs">
              <TextInput
                ref={search}
                className={classes["search"] ?? ""}
                size="xs"
                aria-label="Search in names, targets, inputs and answers"
                placeholder="Search names, inputs, answers"
                leftSection={<IconSearch size={14} aria-hidden />}
                rightSection={
                  place.q ? (
                    <CloseButton
                      size="xs"
                      aria-label="Search for nothing"
                      title="Search for nothing"
                      onClick={() => go({ q: undefined })}
                    />
                  ) : null
                }
                value={place.q ?? ""}
                onChange={(event) => go({ q: event.currentTarget.value || undefined })}
              />
              <Choice label="Status" values={STATES} value={place.status} choose={(status) => go({ status })} />
              <Choice label="Outcome" values={OUTCOMES} value={place.outcome} choose={(outcome) => go({ outcome })} />
              {specs.length > 1 && (
                <Choice wide label="Target" values={specs} value={place.target} choose={(target) => go({ target })} />
              )}
              <span className={classes["count"]} role="status">
                {narrowed ? `${found} of ${count(runs.length, "run")}` : count(runs.length, "run")}
              </span>
              {narrowed && (
                <Button
                  variant="subtle"
                  color="gray"
                  onClick={() => go({ q: undefined, status: undefined, target: undefined, outcome: undefined })}
                >
                  Show all
                </Button>
              )}
              <span className={classes["space"]} />
              {picked.length > 0 && (
                <div className={classes["chosen"]} role="group" aria-label="What to do with the chosen runs">
                  <span>{picked.length} chosen</span>
                  <Button
                    variant="light"
                    disabled={picked.length !== 2}
                    title={picked.length === 2 ? undefined : "Choose two runs to compare them"}
                    leftSection={<IconArrowsDiff size={15} stroke={1.7} />}
                    onClick={() => {
                      const [a, b] = picked.toSorted((a, b) => a.created - b.created);
                      if (a && b) compared(a.run, b.run);
                    }}
                  >
                    Compare
                  </Button>
                  <Button
                    variant="light"
                    color="red"
                    leftSection={<IconTrash size={15} stroke={1.7} />}
                    onClick={() => actions.remove(picked.map(({ run }) => run))}
                  >
                    Delete
                  </Button>
                  <CloseButton
                    size="sm"
                    aria-label="Choose none"
                    title="Choose none"
                    onClick={() => setChosen(new Set())}
                  />
                </div>
              )}
              <SegmentedControl
                size="xs"
                aria-label="How runs are listed"
                value={sorting === null ? "tree" : "flat"}
                onChange={(how) => go({ sort: how === "tree" ? undefined : "-created" })}
                data={[
                  { value: "tree", label: <Shape icon={IconSitemap} text="Tree" /> },
                  { value: "flat", label: <Shape icon={IconList} text="Flat" /> },
                ]}
              />
            </div>
          )}
          {known && runs.length === 0 ? (
            <NoRuns begin={(from) => setAsked({ what: "run", from })} tryDemo={tryDemo} />
          ) : !known ? (
            <Loader m="xl" size="sm" aria-label="Loading the runs" />
          ) : rows.length === 0 ? (
            <p className={classes["none"]}>No run is like that. Search for less, or show all.</p>
          ) : (
            <RunList
              rows={rows}
              now={now}
              sorting={sorting}
              sort={sort}
              chosen={chosen}
              choose={(run, whether) => setChosen(changed(chosen, run, whether))}
              chooseAll={(whether) => setChosen(new Set(whether ? rows.map(({ run }) => run.run) : []))}
              fold={(run, isOpen) => setClosed(changed(closed, run, !isOpen))}
              actions={actions}
            />
          )}
        </main>
      </div>
      {asked?.what === "run" && (
        <NewRun
          from={asked.from}
          runs={runs}
          close={() => {
            setAsked(null);
            if (place.new) go({ new: undefined });
          }}
          started={(run) => open(run)}
        />
      )}
      {asked?.what === "compare" && (
        <CompareWith run={asked.run} runs={runs} close={() => setAsked(null)} chosen={compared} />
      )}
      {asked?.what === "rename" && <RenameRun run={asked.run} close={() => setAsked(null)} />}
      {asked?.what === "delete" && (
        <DeleteRuns
          ids={asked.runs}
          runs={runs}
          close={() => setAsked(null)}
          deleted={(gone) => setChosen(new Set([...chosen].filter((run) => !gone.includes(run))))}
        />
      )}
    </Dropping>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  values: readonly Value[];
  value: Value | undefined;
  choose: (value: Value | undefined) => void;
  wide?: boolean;
}

function Choice<Value extends string>({ label, values, value, choose, wide = false }: ChoiceProps<Value>) {
  return (
    <Select
      size="xs"
      w={wide ? 190 : 118}
      aria-label={label}
      placeholder={label}
      clearable
      searchable={wide}
      comboboxProps={{ width: "max-content", position: "bottom-start" }}
      data={values}
      value={value ?? null}
      onChange={(next) => choose(values.find((known) => known === next))}
    />
  );
}

function Shape({ icon: Icon, text }: { icon: typeof IconList; text: string }) {
  return (
    <span className={classes["shape"]}>
      <Icon size={14} stroke={1.7} aria-hidden /> {text}
    </span>
  );
}

/** The time in seconds; it goes on as long as something lasts. */
function useNow(going: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!going) return undefined;
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, [going]);
  return now;
}

/** Figures are first looked at from the largest, names from the first. */
function firstWay(by: SortBy): boolean {
  return by !== "input" && by !== "target" && by !== "run";
}

function sortingOf(sort: string | undefined): Sorting | null {
  if (sort === undefined) return null;
  const by = SORTS.find((known) => known === sort.replace(/^-/, ""));
  return by === undefined ? null : { by, down: sort.startsWith("-") };
}

function changed(set: ReadonlySet<string>, item: string, there: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (there) next.add(item);
  else next.delete(item);
  return next;
}

function filled(place: { [name in keyof RunsPlace]?: RunsPlace[name] | undefined }): RunsPlace {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined)) as RunsPlace;
}
