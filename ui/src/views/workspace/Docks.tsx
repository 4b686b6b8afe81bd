/** A dock: a strip of tabs, and the panel that is open below it. */

import { ActionIcon, Loader, Menu, Tooltip } from "@mantine/core";
import {
  IconDotsVertical,
  IconLayoutBottombar,
  IconLayoutSidebarRight,
  IconMaximize,
  IconX,
} from "@tabler/icons-react";
import { memo, Suspense } from "react";

import type { Dock, Go, PanelId } from "@/state/place";
import { usePrefs } from "@/state/prefs";

import { Boundary } from "@/kit/Boundary";

import { usePanelsOf } from "./docking";
import { PANEL_KINDS } from "./panels";
import classes from "./Docks.module.css";

interface DockTabsProps {
  dock: Dock;
  open: PanelId | null;
  /** How many things are held. */
  held: number;
  go: Go;
}

/** The tabs of a dock; a running program does not change them. */
export const DockTabs = memo(function DockTabs({ dock, open, held, go }: DockTabsProps) {
  const panels = usePanelsOf(dock);
  const move = usePrefs((prefs) => prefs.move);
  const other: Dock = dock === "bottom" ? "side" : "bottom";
  const step = (event: React.KeyboardEvent, at: number) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = panels[(at + by + panels.length) % panels.length];
    if (next === undefined) return;
    go({ [dock]: next });
    const tabs = event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[role=tab]");
    tabs?.[(at + by + panels.length) % panels.length]?.focus();
  };
  return (
    <div className={classes["strip"]}>
      <div role="tablist" aria-label={dock === "bottom" ? "Panels below" : "Panels beside"} className={classes["tabs"]}>
        {panels.map((panel, at) => {
          const { title, about, icon: Icon } = PANEL_KINDS[panel];
          const active = panel === open;
          return (
            <button
              key={panel}
              type="button"
              title={about}
              role="tab"
              id={`tab-${panel}`}
              aria-selected={active}
              aria-controls={`panel-${dock}`}
              tabIndex={active || (open === null && at === 0) ? 0 : -1}
              className={classes["tab"]}
              onClick={() => go({ [dock]: panel })}
              onKeyDown={(event) => step(event, at)}
            >
              <Icon size={14} stroke={1.7} aria-hidden />
              {title}
              {panel === "inspector" && held > 0 && <span className={classes["badge"]}>{held}</span>}
            </button>
          );
        })}
      </div>
      {open !== null && (
        <>
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <ActionIcon size="sm" aria-label={`Move ${PANEL_KINDS[open].title}`} title="Where it stands">
                <IconDotsVertical size={14} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                leftSection={
                  other === "side" ? <IconLayoutSidebarRight size={14} /> : <IconLayoutBottombar size={14} />
                }
                onClick={() => {
                  move(open, other);
                  go({ [dock]: undefined, [other]: open });
                }}
              >
                Move {PANEL_KINDS[open].title} to the {other === "side" ? "side" : "bottom"}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <Tooltip label="All the room for it (M)">
            <ActionIcon size="sm" aria-label={`Maximise ${PANEL_KINDS[open].title}`} onClick={() => go({ full: open })}>
              <IconMaximize size={14} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Close">
            <ActionIcon
              size="sm"
              aria-label={`Close ${PANEL_KINDS[open].title}`}
              onClick={() => go({ [dock]: "none" })}
            >
              <IconX size={14} />
            </ActionIcon>
          </Tooltip>
        </>
      )}
    </div>
  );
});

export function DockBody({ dock, open }: { dock: Dock; open: PanelId }) {
  const { View } = PANEL_KINDS[open];
  return (
    <section
      data-shows={open}
      role="tabpanel"
      id={`panel-${dock}`}
      aria-labelledby={`tab-${open}`}
      className={classes["body"]}
    >
      <Boundary key={open}>
        <Suspense fallback={<Loader size="sm" m="md" />}>
          <View />
        </Suspense>
      </Boundary>
    </section>
  );
}

/** A panel in the place of the story. */
export function FullBody({ panel }: { panel: PanelId }) {
  const { title, View } = PANEL_KINDS[panel];
  return (
    <section aria-label={title} data-shows={panel} className={classes["full"]}>
      <Boundary key={panel}>
        <Suspense fallback={<Loader size="sm" m="md" />}>
          <View />
        </Suspense>
      </Boundary>
    </section>
  );
}
