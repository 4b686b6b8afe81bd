/** The changes that are collected for the next fork, in one line at the bottom; it opens to all of them. */

import { ActionIcon, Button, Loader, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconChevronDown, IconChevronUp, IconGitFork, IconReplace } from "@tabler/icons-react";
import { lazy, Suspense } from "react";

import { Boundary } from "@/kit/Boundary";
import { count } from "@/kit/words";
import { endsOf } from "@/model/rows";
import { reachedBy } from "@/model/reach";
import { type Draft, useDrafts } from "@/state/drafts";
import { useOfOutline } from "@/state/following";
import { useMocking } from "@/state/mocking";
import { useReachOfAll } from "@/state/reach";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Tray.module.css";
import { useMakeFork } from "./useMakeFork";

const Mocks = lazy(() => import("./Mocks"));
const NOTHING: readonly Draft[] = [];

export function Tray() {
  const { id, view, place, go } = useWorkspace();
  const drafts = useDrafts(({ byRun }) => byRun[id]) ?? NOTHING;
  const adding = useMocking(({ run }) => run === id);
  const { info } = view;
  const open = place.tray === true || adding;
  const made = (info?.edits.length ?? 0) + (info?.mocks.length ?? 0);
  if (info === null || (drafts.length === 0 && made === 0 && !open)) return null;
  const turn = () => {
    if (adding) useMocking.getState().end();
    go({ tray: open ? undefined : true });
  };
  const Mark = open ? IconChevronDown : IconChevronUp;
  return (
    <section className={classes["tray"]} aria-label="Changes">
      <div className={classes["bar"]}>
        <button type="button" className={classes["open"]} aria-expanded={open} onClick={turn}>
          <IconReplace size={15} aria-hidden />
          {drafts.length > 0 ? (
            <Collected drafts={drafts} />
          ) : made > 0 ? (
            <span>
              What {id} did with its {made === 1 ? "change" : `${made} changes`}
            </span>
          ) : (
            <span>No changes are collected</span>
          )}
        </button>
        {drafts.length > 0 && !open && <Fork drafts={drafts} />}
        <span style={{ flex: 1 }} />
        <Tooltip label={open ? "Close" : "Open"}>
          <ActionIcon size="sm" aria-label={open ? "Close the changes" : "Open the changes"} onClick={turn}>
            <Mark size={15} />
          </ActionIcon>
        </Tooltip>
      </div>
      {open && (
        <div className={classes["body"]}>
          <Boundary>
            <Suspense fallback={<Loader size="sm" m="md" />}>
              <Mocks />
            </Suspense>
          </Boundary>
        </div>
      )}
    </section>
  );
}

function Collected({ drafts }: { drafts: readonly Draft[] }) {
  const { id, view } = useWorkspace();
  const ends = useOfOutline(view.outline, endsOf);
  const seqs = reachedBy(
    view.outline,
    ends,
    drafts.map(({ edit }) => edit),
  );
  const calls = useReachOfAll(id, seqs ?? []);
  return (
    <span>
      <b>{count(drafts.length, "change")}</b>
      {calls !== null && <span className="quiet"> · about {count(calls, "call")}, as far as the record tells</span>}
    </span>
  );
}

function Fork({ drafts }: { drafts: readonly Draft[] }) {
  const { go } = useWorkspace();
  const { busy, fork } = useMakeFork(drafts);
  return (
    <Button
      size="compact-sm"
      leftSection={<IconGitFork size={14} />}
      loading={busy !== null}
      onClick={async () => {
        const refused = await fork();
        if (refused === null) return;
        notifications.show({ color: "red", title: "Cannot fork", message: refused.message, autoClose: 8000 });
        go({ tray: true });
      }}
    >
      Fork
    </Button>
  );
}
