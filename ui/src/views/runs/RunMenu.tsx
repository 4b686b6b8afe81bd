/** What can be done with a run in the list. */

import { ActionIcon, Menu } from "@mantine/core";
import {
  IconAdjustmentsAlt,
  IconArrowsDiff,
  IconDotsVertical,
  IconDownload,
  IconGitFork,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconShare,
  IconTrash,
  type TablerIcon,
} from "@tabler/icons-react";

import { useState } from "react";

import type { RunSummary } from "@/api/schema";
import { saveRun, shareRun } from "@/state/commands";

export interface RunActions {
  again: (run: RunSummary) => void;
  /** Fill the form for a new run with what this one was started with. */
  vary: (run: RunSummary) => void;
  fork: (run: RunSummary) => void;
  compare: (run: RunSummary) => void;
  rename: (run: RunSummary) => void;
  stop: (run: RunSummary) => void;
  remove: (runs: string[]) => void;
}

const NO_PROGRAM = "It was read from a log: there is no program to run";

interface RunMenuProps {
  run: RunSummary;
  actions: RunActions;
}

/** The button of the menu; a list has many of them, so the menu itself is only made when it is asked for. */
export function RunMenu({ run, actions }: RunMenuProps) {
  const [asked, setAsked] = useState(false);
  const label = `What to do with ${run.run}`;
  if (asked) return <Opened run={run} actions={actions} label={label} />;
  return (
    <ActionIcon
      aria-label={label}
      title="What to do with it"
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setAsked(true)}
    >
      <IconDotsVertical size={16} />
    </ActionIcon>
  );
}

function Opened({ run, actions, label }: RunMenuProps & { label: string }) {
  return (
    <Menu defaultOpened position="bottom-end" withinPortal width={310}>
      <Menu.Target>
        <ActionIcon aria-label={label} title="What to do with it">
          <IconDotsVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Item
          icon={IconPlayerPlay}
          title="Run again"
          about="Same target and input, from the start"
          off={run.imported ? NO_PROGRAM : null}
          onClick={() => actions.again(run)}
        />
        <Item
          icon={IconAdjustmentsAlt}
          title="Run with changes…"
          about="The form, filled with what it began with"
          off={run.imported ? NO_PROGRAM : null}
          onClick={() => actions.vary(run)}
        />
        <Item
          icon={IconGitFork}
          title="Fork from its end"
          about="A new run that goes on from there"
          off={run.imported ? NO_PROGRAM : run.live ? "It still goes on: fork it from a record" : null}
          onClick={() => actions.fork(run)}
        />
        <Item icon={IconArrowsDiff} title="Compare with…" onClick={() => actions.compare(run)} />
        <Menu.Divider />
        <Item icon={IconPencil} title="Rename…" onClick={() => actions.rename(run)} />
        <Item icon={IconDownload} title="Export as a file" onClick={() => void saveRun(run.run)} />
        <Item
          icon={IconShare}
          title="Share as one HTML file"
          about="To read without Outtake"
          onClick={() => void shareRun(run.run)}
        />
        {run.live && <Item icon={IconPlayerStop} title="Stop" onClick={() => actions.stop(run)} />}
        <Item
          icon={IconTrash}
          title="Delete…"
          red
          off={run.live ? "It still goes on: stop it first" : null}
          onClick={() => actions.remove([run.run])}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

interface ItemProps {
  icon: TablerIcon;
  title: string;
  about?: string;
  /** Why it cannot be done; null where it can. */
  off?: string | null;
  red?: boolean;
  onClick: () => void;
}

function Item({ icon: Icon, title, about, off = null, red = false, onClick }: ItemProps) {
  const told = off ?? about;
  return (
    <Menu.Item
      leftSection={<Icon size={16} stroke={1.7} />}
      disabled={off !== null}
      {...(red ? { color: "red" } : {})}
      onClick={onClick}
    >
      {title}
      {told !== undefined && (
        <div className="quiet" style={{ fontSize: 12 }}>
          {told}
        </div>
      )}
    </Menu.Item>
  );
}
