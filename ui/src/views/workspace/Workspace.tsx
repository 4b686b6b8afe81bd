/** A run's window: control on top, components on the left, the history in the middle, docks beside and below it. */

import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Alert, Anchor, Center, Loader, Stack } from "@mantine/core";
import { useDocumentTitle, useHotkeys } from "@mantine/hooks";
import { useCallback, useMemo, useState } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";

import { runTitle } from "@/model/names";
import { usePlace } from "@/state/place";
import { useRun } from "@/state/run";
import { useRuns } from "@/state/runs";
import { Sidebar } from "@/views/components/Sidebar";
import { Coach } from "@/views/coach/Coach";
import { ControlBar } from "@/views/control/ControlBar";
import { useRecordKeys } from "@/views/details/useRecordVerb";
import { History } from "@/views/history/History";
import { useStops } from "@/views/inspector/useStops";
import { Tray } from "@/views/mocks/Tray";
import { Palette } from "@/views/shell/Palette";
import { Tries } from "@/views/why/Tries";
import { Verdict } from "@/views/why/Verdict";

import { useWorkspace, WorkspaceContext, type WorkspaceValue } from "./context";
import { DockBody, DockTabs, useOpen } from "./Docks";
import classes from "./Workspace.module.css";

export function Workspace() {
  const { run: id } = useParams({ from: "/runs/$run" });
  const [first] = useState(id);
  return <OfRun key={id} id={id} arrived={id !== first} />;
}

/** `arrived`: somebody came here from another run, as to a fork, and goes on with the keyboard where they are. */
function OfRun({ id, arrived }: { id: string; arrived: boolean }) {
  const { run, view } = useRun(id);
  const [place, go] = usePlace();
  const select = useCallback((at: number | undefined) => go({ at, component: undefined, mode: undefined }), [go]);
  const value = useMemo<WorkspaceValue>(
    () => ({ id, run, view, place, go, select }),
    [id, run, view, place, go, select],
  );
  useDocumentTitle(view.info === null ? "Outtake" : `${runTitle(view.info)} · Outtake`);
  if (view.error !== null && view.info === null) return <NoRun id={id} error={view.error} />;
  if (view.info === null)
    return (
      <Center h="100%" component="main">
        <Loader aria-label="Loading the run" />
      </Center>
    );
  return (
    <WorkspaceContext value={value}>
      <Window arrived={arrived} />
    </WorkspaceContext>
  );
}

function NoRun({ id, error }: { id: string; error: Error }) {
  const navigate = useNavigate();
  return (
    <Center h="100%" component="main">
      <Alert color="red" title={`Run ${id} cannot be shown`} maw={520}>
        <Stack gap="xs" align="flex-start">
          {error.message}
          <Anchor component="button" onClick={() => void navigate({ to: "/" })}>
            All runs
          </Anchor>
        </Stack>
      </Alert>
    </Center>
  );
}

/** Says that the run was deleted, by whoever it was, while it is looked at. */
function Gone() {
  const { id } = useWorkspace();
  const { byId } = useRuns();
  const [seen, setSeen] = useState(false);
  const there = byId.has(id);
  if (there && !seen) setSeen(true);
  if (there || !seen) return null;
  return (
    <Alert color="red" radius={0} py={6} title={`${id} was deleted`}>
      What was loaded of it can still be read here. <Link to="/">All runs</Link>
    </Alert>
  );
}

function focusSearch(): void {
  document.getElementById("search")?.focus();
}

function Window({ arrived }: { arrived: boolean }) {
  const { view, go } = useWorkspace();
  const held = view.info?.held.length ?? 0;
  const open = useOpen();
  useRecordKeys();
  useStops();
  useHotkeys([
    ["mod+F", focusSearch],
    ["/", focusSearch],
  ]);
  const columns = useDefaultLayout({ id: "outtake-columns", storage: localStorage });
  const rows = useDefaultLayout({ id: "outtake-rows", storage: localStorage });
  const middle = useDefaultLayout({ id: "outtake-middle", storage: localStorage });
  const side = open.side === null ? ["history"] : ["history", "side"];
  return (
    <div className={classes["window"]}>
      <Palette />
      <ControlBar />
      <Gone />
      <Coach />
      <Verdict />
      <Tries />
      <Group className={classes["columns"]} orientation="horizontal" {...columns}>
        <Panel id="left" defaultSize="17%" minSize="150px" maxSize="40%" collapsible collapsedSize={0}>
          <Sidebar />
        </Panel>
        <Separator className={classes["across"]} aria-label="Width of the components" />
        <Panel id="rest" minSize="40%">
          <Group orientation="vertical" {...rows}>
            <Panel id="upper" minSize="25%">
              <Group orientation="horizontal" {...middle} key={side.join()}>
                <Panel id="history" minSize="30%">
                  <main className={classes["history"]} aria-label={`History of ${view.info?.run ?? "the run"}`}>
                    <History focused={arrived} />
                  </main>
                </Panel>
                {open.side !== null && (
                  <>
                    <Separator className={classes["across"]} aria-label="Width of the panel beside" />
                    <Panel id="side" defaultSize="36%" minSize="240px">
                      <aside className={classes["dock"]} aria-label="Panel beside the history">
                        <DockTabs dock="side" open={open.side} held={held} go={go} />
                        <DockBody dock="side" open={open.side} />
                      </aside>
                    </Panel>
                  </>
                )}
              </Group>
            </Panel>
            {open.bottom !== null && (
              <>
                <Separator className={classes["down"]} aria-label="Height of the panel below" />
                <Panel id="lower" defaultSize="34%" minSize="90px">
                  <aside className={classes["dock"]} aria-label="Panel below the history">
                    <DockTabs dock="bottom" open={open.bottom} held={held} go={go} />
                    <DockBody dock="bottom" open={open.bottom} />
                  </aside>
                </Panel>
              </>
            )}
          </Group>
        </Panel>
      </Group>
      <Tray />
      {(open.bottom === null || open.side === null) && (
        <footer className={classes["closed"]}>
          {open.bottom === null && <DockTabs dock="bottom" open={null} held={held} go={go} />}
          {open.side === null && <DockTabs dock="side" open={null} held={held} go={go} />}
        </footer>
      )}
    </div>
  );
}
