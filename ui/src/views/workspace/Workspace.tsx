/** A run's window: control on top, components on the left, the views in the middle, a dock below them, and one beside all. */

import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Alert, Anchor, Center, Drawer, Loader, Stack } from "@mantine/core";
import { useDocumentTitle, useHotkeys } from "@mantine/hooks";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";

import { runTitle } from "@/model/names";
import { isView, type PanelId, usePlace, VIEWS } from "@/state/place";
import { useRun } from "@/state/run";
import { useRuns } from "@/state/runs";
import { Sight } from "@/state/sight";
import { Sidebar } from "@/views/components/Sidebar";
import { Coach } from "@/views/coach/Coach";
import { ControlBar } from "@/views/control/ControlBar";
import { useRecordKeys } from "@/views/details/useRecordVerb";
import { History } from "@/views/history/History";
import { useStops } from "@/views/inspector/useStops";
import { Tray } from "@/views/mocks/Tray";
import { SCROLLED } from "@/views/overview/Minimap";
import { Palette } from "@/views/shell/Palette";
import { ServerNotice } from "@/views/shell/ServerNotice";
import { useNotices } from "@/views/shell/useNotices";
import { Advice } from "@/views/why/Advice";
import { Tries } from "@/views/why/Tries";
import { Verdict } from "@/views/why/Verdict";

import { useWorkspace, WorkspaceContext, type WorkspaceValue } from "./context";
import { useMaximise, useNarrow, useOpen, usePanelsOf } from "./docking";
import { DockBody, DockTabs, FullBody } from "./Docks";
import { ViewBar } from "./ViewBar";
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
  const [sight] = useState(() => new Sight());
  const value = useMemo<WorkspaceValue>(
    () => ({ id, run, view, place, go, select, sight }),
    [id, run, view, place, go, select, sight],
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

function focusStory(): void {
  // It can take the focus once it is no longer covered.
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${SCROLLED} [role=grid]`)?.focus());
}

/** The panel that has the focus, if one has. */
function panelInFocus(): PanelId | null {
  const panel = document.activeElement?.closest<HTMLElement>("[data-shows]")?.dataset["shows"];
  return (panel as PanelId | undefined) ?? null;
}

/** Keys 1 to 6 for the views, and M to give a panel all the room; the same key again goes back. */
function useViewKeys(): void {
  const { place, go } = useWorkspace();
  const open = useOpen();
  const maximise = useMaximise();
  const back = () => {
    go({ full: undefined });
    focusStory();
  };
  useHotkeys([
    ...VIEWS.map((view, n): [string, () => void] => [
      `${n + 1}`,
      () => {
        if (view === "story" || view === place.full) back();
        else go({ full: view });
      },
    ]),
    ["M", () => (place.full === undefined ? maximise(panelInFocus() ?? open.side ?? open.bottom) : back())],
  ]);
}

function Window({ arrived }: { arrived: boolean }) {
  const { view, place, go } = useWorkspace();
  const held = view.info?.held.length ?? 0;
  const open = useOpen();
  const narrow = useNarrow();
  useRecordKeys();
  useStops();
  useNotices();
  useViewKeys();
  useHotkeys([
    ["mod+F", focusSearch],
    ["/", focusSearch],
  ]);
  const columns = useDefaultLayout({ id: "outtake-columns", storage: localStorage });
  const beside = useDefaultLayout({ id: "outtake-beside", storage: localStorage });
  const [components, setComponents] = useState(false);
  useEffect(() => setComponents(false), [place.component, narrow]);
  const full = place.full ?? null;
  // A view leaves the panels beside it where they are; a panel that is made large takes their room, too.
  const side = narrow || (full !== null && !isView(full)) ? null : open.side;
  const center = <Middle arrived={arrived} full={full} onComponents={narrow ? () => setComponents(true) : null} />;
  return (
    <div className={classes["window"]}>
      <Palette />
      <ServerNotice />
      <ControlBar />
      <Gone />
      <Coach />
      <Verdict />
      <Advice />
      <Tries />
      {narrow ? (
        <>
          <div className={classes["columns"]}>{center}</div>
          <Drawer opened={components} onClose={() => setComponents(false)} title="Components" size="min(320px, 88vw)">
            <Sidebar />
          </Drawer>
          <Drawer
            opened={open.side !== null && full !== open.side}
            onClose={() => go({ side: undefined })}
            position="right"
            size="min(560px, 94vw)"
            withCloseButton={false}
            attributes={{ content: { "aria-label": "Panel beside the history" } }}
            classNames={{ body: classes["drawer"] ?? "" }}
          >
            {open.side !== null && (
              <div className={classes["dock"]}>
                <DockTabs dock="side" open={open.side} held={held} go={go} />
                <DockBody dock="side" open={open.side} />
              </div>
            )}
          </Drawer>
        </>
      ) : (
        <Group className={classes["columns"]} orientation="horizontal" {...columns}>
          <Panel id="left" defaultSize="17%" minSize="150px" maxSize="40%" collapsible collapsedSize={0}>
            <Sidebar />
          </Panel>
          <Separator className={classes["across"]} aria-label="Width of the components" />
          <Panel id="rest" minSize="40%">
            <Group orientation="horizontal" {...beside} key={side === null ? "alone" : "beside"}>
              <Panel id="center" minSize="30%">
                {center}
              </Panel>
              {side !== null && (
                <>
                  <Separator className={classes["across"]} aria-label="Width of the panel beside" />
                  <Panel id="side" defaultSize="36%" minSize="240px">
                    <aside className={classes["dock"]} aria-label="Panel beside the history">
                      <DockTabs dock="side" open={side} held={held} go={go} />
                      <DockBody dock="side" open={side} />
                    </aside>
                  </Panel>
                </>
              )}
            </Group>
          </Panel>
        </Group>
      )}
      <Tray />
    </div>
  );
}

interface MiddleProps {
  arrived: boolean;
  /** The panel in the place of the story. */
  full: PanelId | null;
  /** Opens the components, where they are not beside. */
  onComponents: (() => void) | null;
}

/** The views, and the dock below the story.  What covers the story leaves it as it is, so that one comes back to the same place. */
function Middle({ arrived, full, onComponents }: MiddleProps) {
  const { view, go } = useWorkspace();
  const held = view.info?.held.length ?? 0;
  const open = useOpen();
  const narrow = useNarrow();
  const rows = useDefaultLayout({ id: "outtake-below", storage: localStorage });
  const below = usePanelsOf("bottom").filter((panel) => !isView(panel));
  const story = (
    <section className={classes["history"]} aria-label={`History of ${view.info?.run ?? "the run"}`}>
      <History focused={arrived} />
    </section>
  );
  const bottom = open.bottom !== null && open.bottom !== full && (
    <section className={classes["dock"]} aria-label="Panel below the history">
      <DockTabs dock="bottom" open={open.bottom} held={held} go={go} />
      <DockBody dock="bottom" open={open.bottom} />
    </section>
  );
  return (
    <main className={classes["middle"]}>
      <ViewBar full={full} held={held} onComponents={onComponents} />
      <div className={classes["stack"]}>
        <div className={classes["under"]} data-covered={full !== null || undefined} inert={full !== null}>
          {narrow ? (
            <>
              {story}
              <Drawer
                opened={bottom !== false && full === null}
                onClose={() => go({ bottom: "none" })}
                position="bottom"
                size="85%"
                withCloseButton={false}
                attributes={{ content: { "aria-label": "Panel below the history" } }}
                classNames={{ body: classes["drawer"] ?? "" }}
              >
                {bottom}
              </Drawer>
            </>
          ) : (
            <Group orientation="vertical" {...rows} key={bottom === false ? "alone" : "below"}>
              <Panel id="history" minSize="25%">
                {story}
              </Panel>
              {bottom !== false && (
                <>
                  <Separator className={classes["down"]} aria-label="Height of the panel below" />
                  <Panel id="lower" defaultSize="40%" minSize="90px">
                    {bottom}
                  </Panel>
                </>
              )}
            </Group>
          )}
        </div>
        {full !== null && <FullBody panel={full} />}
      </div>
      {open.bottom === null && below.length > 0 && full === null && (
        <footer className={classes["closed"]}>
          <DockTabs dock="bottom" open={null} held={held} go={go} />
        </footer>
      )}
    </main>
  );
}
