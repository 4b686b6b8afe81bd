/** Components and what flows between them; they light up while the run goes on. */

import "@xyflow/react/dist/base.css";

import { ActionIcon, Switch, useComputedColorScheme } from "@mantine/core";
import { useElementSize, useThrottledValue } from "@mantine/hooks";
import { IconMaximize, IconMinus, IconPlus } from "@tabler/icons-react";
import {
  Background,
  MarkerType,
  MiniMap,
  type NodeHandle,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useCallback, useEffect, useMemo, useState } from "react";

import type { Edge } from "@/api/schema";
import { Empty } from "@/kit/Empty";
import { count } from "@/kit/words";
import { didMost, stateOf } from "@/model/components";
import { edgeInWords, type GraphEdge, graphOf } from "@/model/graph";
import { type Box, curve, fittingLayout } from "@/model/graph-layout";
import { useComponents, useTally } from "@/state/components";
import { usePrefs } from "@/state/prefs";
import { useTurns } from "@/state/turns";
import { hueColour } from "@/views/components/kinds";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Graph.module.css";
import {
  ComponentBox,
  type ComponentNodeType,
  FlowLine,
  type FlowEdgeType,
  GroupBox,
  type GroupNodeType,
} from "./parts";

const NODE_TYPES = { component: ComponentBox, around: GroupBox };
const EDGE_TYPES = { flow: FlowLine };
/** It is drawn anew at most ten times a second. */
const PAUSE = 100;
/** Pixels by which the room must have changed for another layout. */
const STEP = 120;
/** A map of the whole helps from so many nodes on, where there is room for it. */
const MANY = 8;
const TALL = 220;
const LARGEST = 1.15;
const SPEAKERS = new Set(["agent", "step", "task"]);
const NOTHING: readonly Edge[] = [];

export default function Graph() {
  return (
    <ReactFlowProvider>
      <Drawn />
    </ReactFlowProvider>
  );
}

function Drawn() {
  const { id, view, place, go } = useWorkspace();
  const { hues } = useTurns(view.outline);
  const { nodes: all, byPath, description } = useComponents(id, view);
  const { tally, version } = useTally(view.outline);
  const [asked, setParts] = useState(false);
  const { ref, width, height } = useElementSize();
  const scheme = useComputedColorScheme("light");
  const { fitBounds, zoomIn, zoomOut } = useReactFlow();
  const live = view.info?.live === true;
  const held = (view.info?.held ?? []).map((hold) => hold.component).join("\n");
  const seen = useThrottledValue(`${version} ${held} ${live}`, PAUSE);
  const known = useThrottledValue(all, PAUSE);
  const room = { width: Math.ceil(width / STEP) * STEP, height: Math.ceil(height / STEP) * STEP };

  // What was only concluded from the records is in the records.
  const told = description === undefined || description.source === "records" ? NOTHING : description.edges;
  const hasParts = known.some((node) => node.parent !== null && (node.kind === "model" || node.kind === "tool"));
  // Where there is nobody to whom they belong, they are all that there is to see.
  const onlyParts = hasParts && known.every((node) => !SPEAKERS.has(node.kind));
  const parts = asked || onlyParts;
  const graph = useMemo(
    () => graphOf(known, tally.flows.values(), told, parts),
    // The tally is changed in place; what was seen of it tells.
    // oxlint-disable-next-line react/exhaustive-deps
    [known, told, parts, seen],
  );
  const layout = useMemo(
    () => fittingLayout(graph, room.width, room.height),
    // Only what it is made of moves it, not the counts.
    // oxlint-disable-next-line react/exhaustive-deps
    [graph.shape, room.width, room.height],
  );
  const names = useMemo(() => new Map(graph.nodes.map((node) => [node.path, node.name])), [graph]);
  const nameOf = useCallback((path: string) => names.get(path) ?? path, [names]);
  const open = useCallback(
    (path: string) => go({ component: path, mode: undefined, [usePrefs.getState().docks.inspector]: "inspector" }),
    [go],
  );
  const openEdge = useCallback(
    (only: string, kinds: string) => {
      const shown = place.only === only && (place.kinds ?? "") === kinds;
      go(shown ? { only: undefined, kinds: undefined } : { only, kinds: kinds || undefined }, "push");
    },
    [go, place.only, place.kinds],
  );

  const recent = live ? graph.edges.reduce((last, edge) => Math.max(last, edge.last), -1) : -1;
  const heldPaths = new Set(held.split("\n"));
  const nodes: (ComponentNodeType | GroupNodeType)[] = [
    ...graph.groups.flatMap(({ path, name }): GroupNodeType[] => {
      const box = layout.groups.get(path);
      if (box === undefined) return [];
      const { x, y, width: wide, height: high } = box;
      const size = { width: wide, height: high };
      const drawn = { id: `group ${path}`, position: { x, y }, ...size, measured: size, zIndex: -1 };
      return [{ ...drawn, type: "around", data: { path, name, onOpen: open } }];
    }),
    ...graph.nodes.flatMap(({ path, name, kind, self }): ComponentNodeType[] => {
      const box = layout.nodes.get(path);
      const node = byPath.get(path);
      if (box === undefined || node === undefined) return [];
      const { x, y, width: wide, height: high } = box;
      const { number: done, thing } = didMost(node);
      const said = node.did ?? { sent: 0, received: 0 };
      const number = thing === "message" ? said.sent : done;
      const state = stateOf(node.did, live, isHeld(path, heldPaths, parts));
      const selected = place.component === path;
      const errors = node.did?.errors ?? 0;
      const more = thing === "message" || said.received > 0 ? inWords(said.sent, said.received) : "";
      const data = {
        path,
        name,
        kind,
        hue: hues.of(path),
        self,
        state,
        number,
        thing,
        more,
        errors,
        selected,
        onOpen: open,
      };
      const size = { width: wide, height: high };
      return [
        { id: path, position: { x, y }, ...size, measured: size, handles: handlesOf(size), type: "component", data },
      ];
    }),
  ];
  const byId = new Map(graph.edges.map((edge) => [edge.id, edge]));
  const selfs = new Set(graph.nodes.filter((node) => node.self).map((node) => node.path));
  const edges = graph.edges.flatMap((edge): FlowEdgeType[] => {
    const placed = layout.edges.get(edge.id);
    if (placed === undefined) return [];
    // Quiet lines between the same two are one line with two ends.
    const reverse = byId.get(`${edge.to} → ${edge.from}`);
    const other = edge.quiet && reverse?.quiet && reverse !== edge ? reverse : null;
    if (other !== null && other.id < edge.id) return [];
    const both = other === null ? [edge] : [edge, other];
    const numbers = both.map(({ messages, calls }) => messages + calls);
    const isIdle = numbers.every((number) => number === 0);
    const isRecent = recent >= 0 && both.some(({ last }) => last === recent);
    const { only, kinds } = filterOf(edge, selfs);
    const selected = place.only === only && (place.kinds ?? "") === kinds;
    const strong = isRecent || selected;
    const size = strong ? 10 : edge.quiet ? 12 : 14;
    const mark = {
      type: MarkerType.ArrowClosed,
      width: size,
      height: size,
      orient: "auto-start-reverse",
      color: strong ? "var(--ot-accent)" : "var(--ot-quiet)",
    };
    return [
      {
        id: edge.id,
        source: edge.from,
        target: edge.to,
        type: "flow",
        markerEnd: mark,
        ...(other === null ? {} : { markerStart: mark }),
        data: {
          path: curve(placed.points),
          x: placed.label.x,
          y: placed.label.y,
          text: isIdle ? "" : [...new Set(numbers.map((number) => number.toLocaleString("en")))].join(" · "),
          words: both.map((one) => edgeInWords(one, nameOf)).join("; "),
          counted: edge.messages > 0,
          only,
          kinds,
          idle: isIdle,
          quiet: edge.quiet,
          recent: isRecent,
          selected,
          onOpen: openEdge,
        },
      },
    ];
  });

  const fit = useCallback(
    () => void fitBounds(roomy(layout.whole, width, height), { padding: 0.02 }),
    [fitBounds, layout, width, height],
  );
  useEffect(() => {
    const frame = requestAnimationFrame(fit);
    return () => cancelAnimationFrame(frame);
  }, [fit]);

  return (
    <div ref={ref} className={classes["graph"]}>
      {graph.nodes.length === 0 ? (
        <Empty title="No components yet">
          {live ? "They are drawn when the program has built them." : "The run ended before there were any."}
        </Empty>
      ) : (
        <ReactFlow<ComponentNodeType | GroupNodeType, FlowEdgeType>
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          colorMode={scheme}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          minZoom={0.1}
          maxZoom={2}
          proOptions={{ hideAttribution: true }}
          aria-label="Graph of the components"
        >
          <Background gap={20} size={1} color="var(--ot-line)" />
          {graph.nodes.length > MANY && height > TALL && (
            <MiniMap
              pannable
              zoomable
              position="bottom-right"
              style={{ width: 130, height: 84 }}
              ariaLabel="Map of the graph"
              nodeColor={(node) =>
                node.type === "component" ? hueColour(node.data["hue"] as number | null) : "transparent"
              }
            />
          )}
          <Panel position="top-right" className={classes["choices"] ?? ""}>
            <ActionIcon size="sm" aria-label="Zoom out" title="Smaller" onClick={() => void zoomOut()}>
              <IconMinus size={14} />
            </ActionIcon>
            <ActionIcon size="sm" aria-label="Zoom in" title="Larger" onClick={() => void zoomIn()}>
              <IconPlus size={14} />
            </ActionIcon>
            <ActionIcon size="sm" aria-label="Show all of it" title="All of it" onClick={fit}>
              <IconMaximize size={14} />
            </ActionIcon>
          </Panel>
          {hasParts && !onlyParts && (
            <Panel position="top-left" className={classes["choices"] ?? ""}>
              <Switch
                size="xs"
                label="Models and tools"
                checked={parts}
                onChange={(event) => setParts(event.currentTarget.checked)}
              />
            </Panel>
          )}
        </ReactFlow>
      )}
      <ul className={classes["list"]} aria-label={`${count(graph.edges.length, "connection")} between components`}>
        {graph.edges.map((edge) => (
          <li key={edge.id}>{edgeInWords(edge, nameOf)}</li>
        ))}
      </ul>
    </div>
  );
}

/** What a component sent and was sent, and what of it is counted. */
function inWords(sent: number, received: number): string {
  return `${count(sent, "message")} sent, ${received.toLocaleString("en")} received. What goes to several at once is one message sent; what has no content is not counted`;
}

/** What the history is narrowed to for an edge: the messages of the two, or the calls of what is called. */
function filterOf({ from, to, messages, calls }: GraphEdge, groups: ReadonlySet<string>) {
  if (messages === 0 && calls > 0) return { only: to, kinds: "" };
  // A group would be all that is in it.
  const two = [from, to].filter((path) => !groups.has(path));
  return { only: (two.length === 0 ? [to] : two).join(","), kinds: calls > 0 ? "" : "message" };
}

/** Whether it is held, or, where its parts are not drawn, one of them is. */
function isHeld(path: string, held: ReadonlySet<string>, parts: boolean): boolean {
  return held.has(path) || (!parts && [...held].some((one) => one.startsWith(`${path}/`)));
}

/** Where lines could begin and end; the layout draws them, so nothing has to be measured. */
function handlesOf({ width, height }: { width: number; height: number }): NodeHandle[] {
  const at = { y: height / 2, width: 1, height: 1 };
  return [
    { type: "target", position: Position.Left, x: 0, ...at },
    { type: "source", position: Position.Right, x: width, ...at },
  ];
}

/** What is shown of a layout: all of it, and not larger than life in a room of that size. */
function roomy({ x, y, width, height }: Box, roomWidth: number, roomHeight: number): Box {
  const [wide, high] = [Math.max(width, roomWidth / LARGEST), Math.max(height, roomHeight / LARGEST)];
  return { x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high };
}
