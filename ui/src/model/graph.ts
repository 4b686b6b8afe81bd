/**
 * Components as a graph: what the target says can flow, and what did flow, laid out so that it stays where it is while
 * only the counts change.
 */

import { Graph, layout as arrange } from "@dagrejs/dagre";

import type { Edge } from "@/api/schema";

import type { ComponentNode, Flow } from "./components";

export interface GraphNode {
  path: string;
  name: string;
  kind: string;
  /** The group that it is drawn in. */
  group: string | null;
  /** It stands for a group that is also sent something itself. */
  self: boolean;
}

export interface GraphEdge {
  id: string;
  from: string;
  to: string;
  messages: number;
  calls: number;
  /** What the target calls it. */
  label: string;
  /** The last record of it; -1 where nothing has flowed yet. */
  last: number;
}

export interface ComponentGraph {
  nodes: GraphNode[];
  /** Components that are drawn around others, outermost first. */
  groups: { path: string; name: string; group: string | null }[];
  edges: GraphEdge[];
  /** The same for graphs with the same nodes and edges, whatever their counts. */
  shape: string;
}

const PARTS = new Set(["model", "tool"]);

/** The graph of a run; without `parts`, models and tools are told with those that they belong to. */
export function graphOf(
  all: readonly ComponentNode[],
  flows: Iterable<Flow>,
  told: readonly Edge[],
  parts: boolean,
): ComponentGraph {
  const parents = new Map(all.map((node) => [node.path, node.parent]));
  const shown = new Map(all.filter((node) => parts || !isPart(node)).map((node) => [node.path, node]));
  const around = new Set(
    [...shown.values()].filter((node) => !PARTS.has(node.kind)).flatMap((node) => node.parent ?? []),
  );
  const shownAs = (path: string): string | null => {
    for (let at: string | null = path; at !== null; at = parents.get(at) ?? null) if (shown.has(at)) return at;
    return null;
  };
  const isInside = (path: string, group: string): boolean => {
    for (let at = parents.get(path) ?? null; at !== null; at = parents.get(at) ?? null) if (at === group) return true;
    return false;
  };

  const edges = new Map<string, GraphEdge>();
  const edgeOf = (from: string, to: string): GraphEdge | null => {
    const source = shownAs(from);
    const target = shownAs(to);
    if (source === null || target === null) return null;
    if (source === target && from !== to) return null;
    if (around.has(source) && isInside(target, source)) return null;
    const id = `${source} → ${target}`;
    const known = edges.get(id);
    if (known !== undefined) return known;
    const edge = { id, from: source, to: target, messages: 0, calls: 0, label: "", last: -1 };
    edges.set(id, edge);
    return edge;
  };
  for (const { source, target, label } of told) {
    const edge = edgeOf(source, target);
    if (edge !== null && edge.label === "") edge.label = label ?? "";
  }
  const declared = new Set(edges.keys());
  for (const node of shown.values()) if (isPart(node) && node.parent !== null) edgeOf(node.parent, node.path);
  const groupAround = (one: string, other: string): string | null => {
    for (let at = parents.get(one) ?? null; at !== null; at = parents.get(at) ?? null)
      if (around.has(at) && isInside(other, at)) return at;
    return null;
  };
  for (const flow of flows) {
    if (flow.by === "message" && flow.shared === flow.count && flow.shared > 0) {
      // What is said to all is drawn where the target says that it is meant to go; else it goes to all.
      const id = `${shownAs(flow.from)} → ${shownAs(flow.to)}`;
      if (declared.size > 0 && !declared.has(id)) continue;
      const all = declared.size > 0 ? null : groupAround(flow.from, flow.to);
      const toAll = all === null ? null : edgeOf(flow.from, all);
      if (toAll !== null) {
        toAll.label = "to all";
        toAll.messages = Math.max(toAll.messages, flow.count);
        toAll.last = Math.max(toAll.last, flow.last);
        continue;
      }
    }
    const edge = edgeOf(flow.from, flow.to);
    if (edge === null) continue;
    if (flow.by === "message") edge.messages += flow.count;
    else edge.calls += flow.count;
    edge.last = Math.max(edge.last, flow.last);
  }

  const touched = new Set([...edges.values()].flatMap((edge) => [edge.from, edge.to]));
  const groupOf = (node: ComponentNode): string | null => {
    if (node.parent === null || around.has(node.parent)) return node.parent;
    const owner = shown.get(node.parent);
    return owner === undefined ? null : groupOf(owner);
  };
  const nodes: GraphNode[] = [];
  const groups: ComponentGraph["groups"] = [];
  for (const node of shown.values()) {
    const { path, name, kind } = node;
    const isGroup = around.has(path);
    if (kind === "flow" && !isGroup && !touched.has(path)) continue; // what only makes the others, for example
    if (isGroup) groups.push({ path, name, group: groupOf(node) });
    if (!isGroup || touched.has(path))
      nodes.push({ path, name, kind, group: isGroup ? path : groupOf(node), self: isGroup });
  }
  const list = [...edges.values()];
  const shape = [...nodes.map((node) => `${node.path} ${node.name}`), ...list.map((edge) => edge.id)].join("\n");
  return { nodes, groups, edges: list, shape };
}

function isPart(node: ComponentNode): boolean {
  return PARTS.has(node.kind) && node.parent !== null;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  nodes: Map<string, Box>;
  groups: Map<string, Box>;
  edges: Map<string, { points: Point[]; label: Point }>;
  /** Around all of it. */
  whole: Box;
}

export const NODE = { height: 44, least: 124, most: 240 };
const CHARACTER = 7.7;
const AROUND_NAME = 64;
const PADDING = 14;
const TITLE = 18;

/** The layout in the direction in which more of it can be read in so much room. */
export function fittingLayout(graph: ComponentGraph, width: number, height: number): Layout {
  const [across, down] = [layoutOf(graph, "LR"), layoutOf(graph, "TB")];
  const scale = (layout: Layout) => Math.min(width / layout.whole.width, height / layout.whole.height, 1);
  return scale(down) > scale(across) ? down : across;
}

/** Where everything lies, from left to right or from top to bottom. */
export function layoutOf(graph: ComponentGraph, direction: "LR" | "TB"): Layout {
  const plan = new Graph({ directed: true, multigraph: true, compound: true });
  plan.setGraph({ rankdir: direction, nodesep: 16, ranksep: 52, edgesep: 14, marginx: 8, marginy: 8 });
  plan.setDefaultEdgeLabel(() => ({}));
  for (const { path } of graph.groups) plan.setNode(`group ${path}`, {});
  for (const { path, group } of graph.groups) if (group !== null) plan.setParent(`group ${path}`, `group ${group}`);
  for (const { path, name, group } of graph.nodes) {
    const width = Math.min(NODE.most, Math.max(NODE.least, name.length * CHARACTER + AROUND_NAME));
    plan.setNode(path, { width, height: NODE.height });
    if (group !== null) plan.setParent(path, `group ${group}`);
  }
  for (const { id, from, to } of graph.edges)
    plan.setEdge(from, to, { width: 34, height: 18, labelpos: "c", minlen: 1 }, id);
  arrange(plan);

  const nodes = new Map(graph.nodes.map(({ path }) => [path, boxOf(plan.node(path) as Placed)]));
  const edges: Layout["edges"] = new Map();
  for (const { id, from, to } of graph.edges) {
    const { points } = plan.edge(from, to, id) as { points: Point[] };
    edges.set(id, { points, label: middleOf(points) });
  }
  const groups = new Map<string, Box>();
  for (const { path } of graph.groups.toReversed()) {
    const inside = [
      ...graph.nodes.filter((node) => node.group === path).map((node) => nodes.get(node.path)),
      ...graph.groups.filter((group) => group.group === path).map((group) => groups.get(group.path)),
    ].filter((box) => box !== undefined);
    if (inside.length > 0) groups.set(path, boxAround(inside));
  }
  const points = [...edges.values()].flatMap((edge) => [...edge.points, edge.label]);
  const whole = boxAround([
    ...nodes.values(),
    ...groups.values(),
    ...points.map((at) => ({ ...at, width: 0, height: 0 })),
  ]);
  return { nodes, groups, edges, whole };
}

interface Placed {
  x: number;
  y: number;
  width: number;
  height: number;
}

function boxOf({ x, y, width, height }: Placed): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function boxAround(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x)) - PADDING;
  const y = Math.min(...boxes.map((box) => box.y)) - PADDING - TITLE;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + PADDING;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + PADDING;
  return boxes.length === 0 ? { x: 0, y: 0, width: 0, height: 0 } : { x, y, width: right - x, height: bottom - y };
}

/** A smooth line through points, as the path of an SVG. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const last = rest.at(-1);
  if (rest.length < 2 || last === undefined) return `M${at(first)}${last === undefined ? "" : `L${at(last)}`}`;
  const bends = rest.slice(0, -1).map((point, n) => {
    const next = rest[n + 1] ?? point;
    const to = n === rest.length - 2 ? next : between(point, next);
    return `Q${at(point)} ${at(to)}`;
  });
  return `M${at(first)}${bends.join("")}`;
}

/** The middle of that line. */
export function middleOf(points: readonly Point[]): Point {
  const n = Math.floor((points.length - 1) / 2);
  const [before, bend, after] = [points[n - 1], points[n], points[n + 1]];
  if (bend === undefined) return { x: 0, y: 0 };
  if (after === undefined) return bend;
  if (before === undefined) return between(bend, after);
  const start = n === 1 ? before : between(before, bend);
  const end = n === points.length - 2 ? after : between(bend, after);
  return between(between(start, bend), between(bend, end));
}

function between(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

function at({ x, y }: Point): string {
  return `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
}

/** What an edge says, in words. */
export function edgeInWords(edge: GraphEdge, name: (path: string) => string): string {
  const counts = [
    edge.messages > 0 ? `${edge.messages} ${edge.messages === 1 ? "message" : "messages"}` : "",
    edge.calls > 0 ? `${edge.calls} ${edge.calls === 1 ? "call" : "calls"}` : "",
  ].filter(Boolean);
  const what = counts.length === 0 ? "nothing yet" : counts.join(", ");
  return `${name(edge.from)} to ${name(edge.to)}: ${what}${edge.label === "" ? "" : ` (${edge.label})`}`;
}
