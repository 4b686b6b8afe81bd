/** Which view the window's middle shows, and the ways to the other ones. */

import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import {
  IconDotsVertical,
  IconLayoutBottombar,
  IconLayoutSidebar,
  IconLayoutSidebarRight,
  IconListDetails,
  IconMinimize,
} from "@tabler/icons-react";

import { type Dock, isView, type PanelId, VIEWS, type ViewId } from "@/state/place";
import { usePrefs } from "@/state/prefs";

import { useWorkspace } from "./context";
import classes from "./Docks.module.css";
import { useOpen } from "./docking";
import { DockTabs } from "./Docks";
import { PANEL_KINDS } from "./panels";

export const STORY = { title: "Story", about: "What happened, as it is read", icon: IconListDetails };

interface ViewBarProps {
  /** The panel in the place of the story. */
  full: PanelId | null;
  held: number;
  /** Opens the components, where they are not beside. */
  onComponents: (() => void) | null;
}

export function ViewBar({ full, held, onComponents }: ViewBarProps) {
  const { go } = useWorkspace();
  const open = useOpen();
  const current: PanelId | ViewId = full ?? "story";
  const shown: readonly (PanelId | ViewId)[] = full === null || isView(full) ? VIEWS : [...VIEWS, full];
  return (
    <div className={classes["strip"]}>
      {onComponents !== null && (
        <Tooltip label="Components and breakpoints">
          <ActionIcon size="sm" aria-label="Components" onClick={onComponents}>
            <IconLayoutSidebar size={15} />
          </ActionIcon>
        </Tooltip>
      )}
      <nav aria-label="Views" className={classes["tabs"]}>
        {shown.map((view, n) => {
          const { title, about, icon: Icon } = view === "story" ? STORY : PANEL_KINDS[view];
          const key = n < VIEWS.length ? `${n + 1}` : null;
          return (
            <button
              key={view}
              type="button"
              title={key === null ? about : `${about} (${key})`}
              aria-label={title}
              aria-keyshortcuts={key ?? undefined}
              aria-current={view === current ? "page" : undefined}
              className={classes["tab"]}
              onClick={() => go({ full: view === "story" ? undefined : view })}
            >
              <Icon size={14} stroke={1.7} aria-hidden />
              <span className={classes["title"]}>{title}</span>
            </button>
          );
        })}
      </nav>
      {full !== null && <Docking panel={full} />}
      {open.side === null && <DockTabs dock="side" open={null} held={held} go={go} />}
    </div>
  );
}

/** Of a panel that has all the room: back to the story, or beside it, or below it. */
function Docking({ panel }: { panel: PanelId }) {
  const { go } = useWorkspace();
  const move = usePrefs((prefs) => prefs.move);
  const { title } = PANEL_KINDS[panel];
  const dock = (to: Dock) => {
    move(panel, to);
    go({ full: undefined, [to]: panel });
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon size="sm" aria-label={`Move ${title}`} title="Where it stands">
            <IconDotsVertical size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconLayoutBottombar size={14} />} onClick={() => dock("bottom")}>
            Dock {title} below the story
          </Menu.Item>
          <Menu.Item leftSection={<IconLayoutSidebarRight size={14} />} onClick={() => dock("side")}>
            Dock {title} beside the story
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Tooltip label="Back to the story (1)">
        <ActionIcon size="sm" aria-label="Back to the story" onClick={() => go({ full: undefined })}>
          <IconMinimize size={14} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
