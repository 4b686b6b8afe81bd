/** The left column: components with what each does now, and breakpoints below them. */

import { ActionIcon, TextInput, Tooltip } from "@mantine/core";
import {
  IconAlertTriangle,
  IconChevronDown,
  IconChevronRight,
  IconCircle,
  IconCircleFilled,
  IconFold,
  IconMail,
  IconSearch,
  IconX,
} from "@tabler/icons-react";
import { type CSSProperties, useMemo, useRef, useState } from "react";

import { Empty } from "@/kit/Empty";
import { count } from "@/kit/words";
import { type ComponentNode, didMost, shownNodes, stateOf } from "@/model/components";
import { isAbout } from "@/model/conditions";
import { breakOn, changeBreakpoint, useBreakpoints } from "@/state/breakpoints";
import { useComponents } from "@/state/components";
import { usePrefs } from "@/state/prefs";
import { Breakpoints } from "@/views/control/Breakpoints";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./components.module.css";
import { useTurns } from "@/state/turns";
import { KindIcon, STATE_WORDS, StateMark } from "./kinds";

/** From so many components on there is a field to filter them. */
const MANY = 8;

export function Sidebar() {
  return (
    <nav className={classes["sidebar"]} aria-label="Components and breakpoints">
      <ComponentTree />
      <Breakpoints />
    </nav>
  );
}

function ComponentTree() {
  const { id, view, place, go } = useWorkspace();
  const { hues } = useTurns(view.outline);
  const { nodes, error } = useComponents(id, view);
  const [filter, setFilter] = useState("");
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const live = view.info?.live === true;
  const imported = view.info?.imported === true;
  const held = view.info?.held;
  const heldPaths = useMemo(() => new Set(held?.map((hold) => hold.component)), [held]);
  const points = useBreakpoints(id);
  const shown = useMemo(() => shownNodes(nodes, filter, folded), [nodes, filter, folded]);
  const folders = useMemo(() => nodes.filter((node) => node.parts > 0 && node.depth > 0), [nodes]);

  const fold = (path: string, away: boolean) => {
    const next = new Set(folded);
    if (away) next.add(path);
    else next.delete(path);
    setFolded(next);
  };
  const open = (node: ComponentNode) => {
    setCurrent(node.path);
    go({ component: node.path, mode: undefined, [usePrefs.getState().docks.inspector]: "inspector" });
  };
  const toggle = (node: ComponentNode) => {
    if (imported) return;
    const point = points.find((one) => isAbout(one.text, node.path));
    if (point === undefined) void breakOn(id, { component: node.path, kind: node.kind });
    else void changeBreakpoint(id, point.id, "removed");
  };
  const active = shown.find((node) => node.path === (current ?? place.component)) ?? shown[0];
  const focus = (node: ComponentNode | undefined) => {
    if (node === undefined) return;
    setCurrent(node.path);
    box.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(node.path)}"]`)?.focus();
  };
  const press = (event: React.KeyboardEvent, node: ComponentNode) => {
    const row = shown.indexOf(node);
    const isFolded = folded.has(node.path);
    switch (event.key) {
      case "ArrowDown":
        focus(shown[row + 1]);
        break;
      case "ArrowUp":
        focus(shown[row - 1]);
        break;
      case "Home":
        focus(shown[0]);
        break;
      case "End":
        focus(shown.at(-1));
        break;
      case "ArrowRight":
        if (node.parts > 0 && isFolded) fold(node.path, false);
        else if (node.parts > 0) focus(shown[row + 1]);
        break;
      case "ArrowLeft":
        if (node.parts > 0 && !isFolded) fold(node.path, true);
        else focus(shown.find((one) => one.path === node.parent));
        break;
      case "Enter":
      case " ":
        open(node);
        break;
      case "F9":
        toggle(node);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  return (
    <>
      <div className={classes["section"]}>
        <h2 className={classes["sectionTitle"]}>Components</h2>
        {folders.length > 1 && (
          <Tooltip label={folded.size > 0 ? "Show the parts of all" : "Fold the parts of all"}>
            <ActionIcon
              size="sm"
              aria-label={folded.size > 0 ? "Show the parts of all" : "Fold the parts of all"}
              onClick={() => setFolded(new Set(folded.size > 0 ? [] : folders.map((node) => node.path)))}
            >
              <IconFold size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {nodes.length > MANY && (
        <div className={classes["filter"]}>
          <TextInput
            size="xs"
            aria-label="Filter the components"
            placeholder="Filter"
            leftSection={<IconSearch size={13} />}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && setFilter("")}
          />
        </div>
      )}
      {nodes.length === 0 ? (
        <div className={classes["tree"]}>
          <Empty title="No components yet">
            {live
              ? "They come when the program has built them."
              : (error?.message ?? "The run ended before there were any.")}
          </Empty>
        </div>
      ) : (
        <div ref={box} role="tree" aria-label="Components" className={classes["tree"]}>
          {shown.map((node) => {
            const state = stateOf(node.did, live, heldPaths.has(node.path));
            const point = points.find((one) => isAbout(one.text, node.path));
            const isFolded = folded.has(node.path) && filter === "";
            const Chevron = isFolded ? IconChevronRight : IconChevronDown;
            const Dot = point !== undefined && !point.enabled ? IconCircle : IconCircleFilled;
            return (
              <div
                key={node.path}
                role="treeitem"
                aria-level={node.depth + 1}
                aria-selected={place.component === node.path}
                {...(node.parts > 0 && { "aria-expanded": !isFolded })}
                aria-keyshortcuts={imported ? undefined : "F9"}
                tabIndex={node === active ? 0 : -1}
                data-path={node.path}
                data-state={state}
                title={node.told?.doc ? `${node.path}\n${node.told.doc}` : node.path}
                className={classes["row"]}
                onClick={() => open(node)}
                onKeyDown={(event) => press(event, node)}
              >
                {imported ? (
                  <span className={classes["dot"]} />
                ) : (
                  <button
                    type="button"
                    tabIndex={-1}
                    className={classes["dot"]}
                    data-set={point === undefined ? undefined : point.enabled ? "on" : "off"}
                    aria-label={`${point === undefined ? "Break on" : "Remove the breakpoint on"} ${node.name}`}
                    title={`${point === undefined ? "Break here" : "Remove the breakpoint"} (F9)`}
                    onClick={(event) => {
                      event.stopPropagation();
                      toggle(node);
                    }}
                  >
                    <Dot size={9} aria-hidden />
                  </button>
                )}
                <span className={classes["indent"]} style={{ "--depth": node.depth } as CSSProperties} />
                <span
                  className={classes["chevron"]}
                  aria-hidden
                  onClick={(event) => {
                    if (node.parts === 0) return;
                    event.stopPropagation();
                    fold(node.path, !isFolded);
                  }}
                >
                  {node.parts > 0 && <Chevron size={13} />}
                </span>
                <KindIcon kind={node.kind} hue={hues.of(node.path)} />
                <span className={classes["name"]}>{node.name}</span>
                <span className={classes["hidden"]}>{`, ${node.kind} ${STATE_WORDS[state]}`}</span>
                {/* The count of its errors is the mark of a failure. */}
                {state !== "failed" && <StateMark state={state} />}
                {(node.did?.errors ?? 0) > 0 && (
                  <span
                    className={classes["errors"]}
                    title={[count(node.did?.errors ?? 0, "error"), state === "failed" && STATE_WORDS[state]]
                      .filter(Boolean)
                      .join(", ")}
                  >
                    <span aria-hidden>
                      {node.did?.errors} <IconAlertTriangle size={11} />
                    </span>
                    <span className={classes["hidden"]}>{count(node.did?.errors ?? 0, "error")}</span>
                  </span>
                )}
                <Did node={node} />
              </div>
            );
          })}
          {shown.length === 0 && <p className={classes["told"]}>No component is called “{filter}”.</p>}
        </div>
      )}
    </>
  );
}

/** A number is enough beside what it counts; the words are for who hears or asks. */
function Did({ node }: { node: ComponentNode }) {
  const { number, thing } = didMost(node);
  if (number === 0) return null;
  const Icon = thing === "message" ? IconMail : IconX;
  const words = count(number, thing);
  return (
    <span className={classes["did"]} title={words}>
      <span aria-hidden>
        {number.toLocaleString("en")} <Icon size={10} />
      </span>
      <span className={classes["hidden"]}>{words}</span>
    </span>
  );
}
