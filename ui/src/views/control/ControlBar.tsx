/** The bar on top: which run, how it stands and why, what can be done with it, and what it has cost. */

import { ActionIcon, Kbd, Tooltip, VisuallyHidden } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import {
  IconAdjustmentsAlt,
  IconArrowBarToRight,
  IconArrowDownRight,
  IconArrowUpLeft,
  IconCheck,
  IconListSearch,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconX,
  type TablerIcon,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo } from "react";

import { duration, money } from "@/kit/words";
import { type ControlVerb, tellHold, tellStatus, VERBS, whyNot } from "@/model/control";
import { runTitle } from "@/model/names";
import { useRunAgain, useVerb, VERB_NAMES } from "@/state/actions";
import { useIsAnswered } from "@/state/answering";
import { OUTCOME_WORDS } from "@/views/runs/marks";
import { RunWithChanges } from "@/views/runs/RunWithChanges";
import { NoticesToggle } from "@/views/shell/NoticesToggle";
import { SchemeToggle } from "@/views/shell/SchemeToggle";
import { useWorkspace } from "@/views/workspace/context";
import { useShowHeld } from "@/views/workspace/docking";

import { CodeChanges } from "./CodeChanges";
import classes from "./ControlBar.module.css";
import { RunSwitch } from "./RunSwitch";

const ICONS: { [verb in ControlVerb]: TablerIcon } = {
  continue: IconPlayerPlay,
  pause: IconPlayerPause,
  next: IconArrowBarToRight,
  step: IconArrowDownRight,
  out: IconArrowUpLeft,
  stop: IconPlayerStop,
};

export function ControlBar() {
  const { view } = useWorkspace();
  const info = view.info;
  const doVerb = useVerb(info);
  const answered = useIsAnswered(info);
  useHotkeys(
    VERBS.map((verb) => [VERB_NAMES[verb].hotkey, () => doVerb(verb), { preventDefault: true }]),
    [],
  );
  if (info === null) return null;
  return (
    <header className={classes["bar"]}>
      <Link to="/" className={classes["brand"]} aria-label="Outtake: all runs" title="All runs">
        <img src="/icon.svg" alt="" width={20} height={20} />
      </Link>
      <VisuallyHidden component="h1">Run {runTitle(info)}</VisuallyHidden>
      <RunSwitch id={info.run} title={runTitle(info)} />
      <div role="toolbar" aria-label="Control of the run" className={classes["verbs"]}>
        {VERBS.map((verb) => (
          <VerbButton key={verb} verb={verb} why={whyNot(info, verb, answered)} onVerb={doVerb} />
        ))}
        {!info.live && !info.imported && (
          <>
            <AgainButton run={info.run} />
            <ChangesButton run={info.run} />
          </>
        )}
      </div>
      <Status />
      <CodeChanges />
      <span className={classes["space"]} />
      <Figures />
      <Outcome />
      {info.live && <NoticesToggle />}
      <PaletteButton />
      <Scheme />
    </header>
  );
}

// The parts of the bar that a running program does not change are not drawn anew with every record.

interface VerbButtonProps {
  verb: ControlVerb;
  /** Why it does not apply now; nothing where it does. */
  why: string;
  onVerb: (verb: ControlVerb) => void;
}

const VerbButton = memo(function VerbButton({ verb, why, onVerb }: VerbButtonProps) {
  const { label, keys } = VERB_NAMES[verb];
  const Icon = ICONS[verb];
  const go = verb === "continue" && why === "";
  return (
    <Tooltip
      label={
        <>
          {label} <Kbd size="xs">{keys}</Kbd>
          {why !== "" && <div>{why}</div>}
        </>
      }
    >
      <ActionIcon
        aria-label={label}
        aria-keyshortcuts={keys}
        variant={go ? "filled" : "subtle"}
        color={go ? "cyan" : "gray"}
        aria-disabled={why !== ""}
        {...(why !== "" && { "data-disabled": true })}
        onClick={() => onVerb(verb)}
      >
        <Icon size={17} stroke={1.8} />
      </ActionIcon>
    </Tooltip>
  );
});

const AgainButton = memo(function AgainButton({ run }: { run: string }) {
  const runAgain = useRunAgain();
  return (
    <Tooltip label="Run again: the same target and input, from the start">
      <ActionIcon aria-label="Run again" className={classes["worded"]} onClick={() => void runAgain(run)}>
        <IconRefresh size={17} stroke={1.8} />
        <span className={classes["word"]}>Run again</span>
      </ActionIcon>
    </Tooltip>
  );
});

const ChangesButton = memo(function ChangesButton({ run }: { run: string }) {
  return (
    <RunWithChanges
      run={run}
      renderButton={(open) => (
        <Tooltip label="Run with changes…: the form, filled with what it began with">
          <ActionIcon
            aria-label="Run with changes…"
            className={classes["worded"]}
            aria-haspopup="dialog"
            onClick={open}
          >
            <IconAdjustmentsAlt size={17} stroke={1.8} />
            <span className={classes["word"]}>Run with changes…</span>
          </ActionIcon>
        </Tooltip>
      )}
    />
  );
});

const PaletteButton = memo(function PaletteButton() {
  return (
    <Tooltip
      label={
        <>
          All commands <Kbd size="xs">Ctrl+K</Kbd>
        </>
      }
    >
      <ActionIcon aria-label="All commands" aria-keyshortcuts="Control+K" onClick={() => spotlight.open()}>
        <IconListSearch size={17} stroke={1.8} />
      </ActionIcon>
    </Tooltip>
  );
});

const Scheme = memo(SchemeToggle);

function Status() {
  const { view } = useWorkspace();
  const showHeld = useShowHeld();
  const info = view.info;
  if (info === null) return null;
  const hold = info.held[0];
  const busy = ["starting", "replaying", "running"].includes(info.status);
  const reason = hold?.reason ? ` (${hold.reason})` : "";
  const away = info.live && view.connection !== "open" && view.connection !== "done";
  return (
    <span className={classes["status"]} role="status" data-status={info.status}>
      <span className={classes["dot"]} data-busy={busy || undefined} aria-hidden />
      {away ? (
        <span className={AWAY[view.connection] === undefined ? "quiet" : classes["lost"]}>
          {AWAY[view.connection] ?? "Connecting…"}
        </span>
      ) : hold === undefined ? (
        <span className="ellipsis">{info.trouble !== "" ? info.trouble : tellStatus(info)}</span>
      ) : (
        <button type="button" className={classes["held"]} onClick={showHeld}>
          Held: {tellHold(hold)}
          {reason}
          {info.held.length > 1 && ` +${info.held.length - 1}`}
        </button>
      )}
    </span>
  );
}

const AWAY: { [connection: string]: string } = {
  lost: "The server does not answer; trying again…",
  locked: "The server was started again: open the address that it printed",
};

function Figures() {
  const { view } = useWorkspace();
  const info = view.info;
  if (info === null) return null;
  const tokens = info.tokens.input + info.tokens.output;
  const told = [
    [info.executed.model, "model calls", "Model calls that were executed"],
    [info.executed.tool, "tools", "Tool calls that were executed"],
    [info.reused.model + info.reused.tool, "served", "Calls that were answered from the record of the parent"],
    [tokens, "tokens", `${info.tokens.input.toLocaleString("en")} in, ${info.tokens.output.toLocaleString("en")} out`],
  ] as const;
  return (
    <span className={classes["figures"]}>
      {told
        .filter(([n]) => n > 0)
        .map(([n, name, about]) => (
          <Tooltip key={name} label={about}>
            <span>
              <b className="number">{n.toLocaleString("en")}</b> {n === 1 ? name.replace(/s$/, "") : name}
            </span>
          </Tooltip>
        ))}
      {info.seconds > 0 && (
        <Tooltip label="Time in executed model and tool calls">
          <span>
            <b className="number">{duration(info.seconds)}</b> in calls
          </span>
        </Tooltip>
      )}
      {info.cost > 0 && <span className="number">{money(info.cost)}</span>}
    </span>
  );
}

function Outcome() {
  const { view } = useWorkspace();
  const { outcome, expected } = view.info ?? {};
  if (!outcome) return null;
  const passed = outcome === "passed";
  return (
    <Tooltip label={expected ? `Expected: ${expected}` : "By a verdict on this run"}>
      <span className={classes["outcome"]} data-outcome={outcome}>
        {passed ? <IconCheck size={14} aria-hidden /> : <IconX size={14} aria-hidden />}
        {OUTCOME_WORDS[outcome]} answer
      </span>
    </Tooltip>
  );
}
