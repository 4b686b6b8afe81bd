/** Every command by name: Ctrl+K. */

import { notifications } from "@mantine/notifications";
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useMantineColorScheme } from "@mantine/core";

import { oneLine } from "@/kit/words";
import { VERBS, whyNot } from "@/model/control";
import { EDITORS, isAddress } from "@/model/editors";
import { runTitle } from "@/model/names";
import { verbsOf } from "@/model/verbs";
import { useForkEnd, useRunAgain, useTryDemo, useVerb, VERB_NAMES } from "@/state/actions";
import { isAnswered } from "@/state/answering";
import { shareRun } from "@/state/commands";
import { DENSITIES, PANELS } from "@/state/place";
import { usePrefs } from "@/state/prefs";
import { useRuns } from "@/state/runs";
import { useRecordVerb } from "@/views/details/useRecordVerb";
import { DENSITY_ABOUT, DENSITY_NAMES, useReadingOfRun, useSetDensity } from "@/views/history/reading";
import { ChangedRun } from "@/views/runs/RunWithChanges";
import { useWorkspace } from "@/views/workspace/context";
import { useShow, useShowHeld } from "@/views/workspace/docking";
import { PANEL_KINDS } from "@/views/workspace/panels";

const MOST_RUNS = 50;

export function Palette() {
  const { id, view, go, select, place } = useWorkspace();
  const { runs } = useRuns();
  const navigate = useNavigate();
  const show = useShow();
  const showHeld = useShowHeld();
  const doRecordVerb = useRecordVerb();
  const editor = usePrefs((prefs) => prefs.editor);
  const openWith = usePrefs((prefs) => prefs.openWith);
  const doVerb = useVerb(view.info);
  const runAgain = useRunAgain();
  const forkEnd = useForkEnd();
  const tryDemo = useTryDemo();
  const { toggleColorScheme } = useMantineColorScheme();
  const [query, setQuery] = useState("");
  const [changing, setChanging] = useState(false);
  const reading = useReadingOfRun();
  const setDensity = useSetDensity();
  const { info, outline } = view;

  const control: SpotlightActionData[] = [];
  if (info !== null) {
    for (const verb of VERBS)
      if (whyNot(info, verb, isAnswered(info)) === "")
        control.push({
          id: verb,
          label: VERB_NAMES[verb].label,
          description: VERB_NAMES[verb].keys,
          onClick: () => doVerb(verb),
        });
    if (!info.live && !info.imported)
      control.push(
        {
          id: "again",
          label: "Run again",
          description: "Same target and input",
          onClick: () => void runAgain(info.run),
        },
        {
          id: "again-changed",
          label: "Run with changes…",
          description: "The form of a new run, filled with what this one began with",
          onClick: () => setChanging(true),
        },
        {
          id: "fork-end",
          label: "Go on from the end in a fork",
          description: "For a team that can be told more",
          onClick: () => void forkEnd(info),
        },
      );
  }
  const number = Number(query.replace(/^#/, ""));
  const jump: SpotlightActionData[] =
    query !== "" && Number.isInteger(number) && number >= 0 && number < outline.length
      ? [{ id: "jump", label: `Go to record ${number}`, onClick: () => select(number) }]
      : [];
  const views: SpotlightActionData[] = [
    ...PANELS.map((panel) => ({
      id: `show-${panel}`,
      label: `Show ${PANEL_KINDS[panel].title}`,
      description: PANEL_KINDS[panel].about,
      onClick: () => show(panel),
    })),
    {
      id: "show-held",
      label: "Show what is held and queued",
      description: "And send a message",
      onClick: showHeld,
    },
    {
      id: "show-changes",
      label: "Show the collected changes",
      description: "Edits and mocks for the next fork, and what became of those of this one",
      onClick: () => go({ tray: true }),
    },
    {
      id: "search",
      label: "Search what was said",
      description: "Ctrl+F",
      onClick: () => document.getElementById("search")?.focus(),
    },
    {
      id: "plumbing",
      label: place.plumbing ? "Hide the framework's internals" : "Show the framework's internals",
      onClick: () => go({ plumbing: place.plumbing ? undefined : true }),
    },
    ...DENSITIES.map((density) => ({
      id: `density-${density}`,
      label: `Read as ${DENSITY_NAMES[density]}`,
      description: `${DENSITY_ABOUT[density].key}: ${DENSITY_ABOUT[density].about}`,
      onClick: () => setDensity(density),
    })),
    {
      id: "transcript",
      label: "Transcript",
      description: "The run in one column, to read, to print, to copy as Markdown",
      onClick: () => void navigate({ to: "/runs/$run/transcript", params: { run: id } }),
    },
    {
      id: "share",
      label: "Share as one HTML file",
      description: "The run as a page that opens without Outtake",
      onClick: () => void shareRun(id),
    },
    { id: "answer", label: "Go to the answer", description: "A", onClick: reading.toAnswer },
    ...(reading.errors > 0
      ? [
          { id: "next-error", label: "Next error", description: "X, F8", onClick: () => reading.toError(false) },
          { id: "last-error", label: "Previous error", description: "Shift+X", onClick: () => reading.toError(true) },
        ]
      : []),
    ...(reading.changes > 0
      ? [
          { id: "next-change", label: "Next change", description: "D", onClick: () => reading.toChange(false) },
          {
            id: "last-change",
            label: "Previous change",
            description: "Shift+D",
            onClick: () => reading.toChange(true),
          },
        ]
      : []),
    { id: "scheme", label: "Switch between light and dark", onClick: () => toggleColorScheme() },
  ];
  const others: SpotlightActionData[] = runs
    .filter((run) => run.run !== id)
    .slice(-MOST_RUNS)
    .toReversed()
    .map((run) => ({
      id: `run-${run.run}`,
      label: `Open ${runTitle(run)}`,
      description: oneLine(run.error || run.output || run.input, 80),
      onClick: () => void navigate({ to: "/runs/$run", params: { run: run.run }, search: {} }),
    }));
  const seq = place.at;
  const selected: SpotlightActionData[] =
    seq === undefined || seq >= outline.length || info?.imported === true
      ? []
      : verbsOf(outline, seq).map((verb) => ({
          id: `verb-${verb.id}`,
          label: verb.label,
          description: `${verb.key}: ${verb.about}`,
          onClick: () => void doRecordVerb(verb.id, seq),
        }));
  const editors: SpotlightActionData[] = [
    ...EDITORS.map(({ name, address }) => ({
      id: `editor-${name}`,
      label: address === "" ? "Show source lines without links" : `Open source lines in ${name}`,
      onClick: () => openWith(address),
    })),
    {
      id: "editor-other",
      label: "Open source lines in another editor…",
      description: "An address with {path} and {line}",
      onClick: () => {
        const address = window.prompt("The address that opens a line, with {path} and {line}", editor);
        if (address === null) return;
        if (isAddress(address)) openWith(address);
        else notifications.show({ color: "red", message: `${address} is no address of an editor` });
      },
    },
  ];
  const groups: SpotlightActionGroupData[] = [
    { group: "Go to", actions: jump },
    { group: `Record ${seq ?? ""}`, actions: selected },
    { group: "Control", actions: control },
    { group: "View", actions: views },
    { group: "Source", actions: editors },
    {
      group: "Runs",
      actions: [
        { id: "runs", label: "All runs", onClick: () => void navigate({ to: "/" }) },
        {
          id: "demo",
          label: "Try the demo",
          description: "A team that gives a wrong answer, to be set right in three steps",
          onClick: () => void tryDemo(),
        },
        ...others,
      ],
    },
  ].filter((group) => group.actions.length > 0);
  return (
    <>
      <Spotlight
        actions={groups}
        query={query}
        onQueryChange={setQuery}
        shortcut="mod + K"
        nothingFound="No command fits"
        highlightQuery
        scrollable
        centered={false}
        yOffset="14vh"
        overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
        maxHeight={420}
        limit={60}
        attributes={{
          content: { "aria-label": "All commands" },
          // What scrolls can be scrolled by keyboard.
          actionsList: { viewportProps: { tabIndex: 0 } },
        }}
        searchProps={{
          leftSection: <IconSearch size={18} />,
          placeholder: "What do you want to do? A number goes to that record",
          "aria-label": "Command",
        }}
      />
      {changing && <ChangedRun run={id} close={() => setChanging(false)} />}
    </>
  );
}
