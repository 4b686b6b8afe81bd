/** Where the nodes, groups and lines of a graph lie: it stays where it is while only the counts change. */

import { Graph, layout as arrange } from "@dagrejs/dagre";

import type { ComponentGraph } from "./graph";

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
const DOT = 14;
/** How far from the nodes the first line beside them runs, and how far apart those are that pass more nodes. */
const BESIDE = { first: 24, next: 26 };
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
  for (const { path, name, group, self } of graph.nodes) {
    const width = Math.min(NODE.most, Math.max(NODE.least, name.length * CHARACTER + AROUND_NAME));
    plan.setNode(path, self ? { width: DOT, height: DOT } : { width, height: NODE.height });
    if (group !== null) plan.setParent(path, `group ${group}`);
  }
  const loud = graph.edges.filter((edge) => !edge.quiet);
  for (const { id, from, to } of loud) plan.setEdge(from, to, { width: 34, height: 18, labelpos: "c", minlen: 1 }, id);
  arrange(plan);

  const nodes = new Map(graph.nodes.map(({ path }) => [path, boxOf(plan.node(path) as Placed)]));
  const edges: Layout["edges"] = new Map();
  for (const { id, from, to } of loud) {
    const { points } = plan.edge(from, to, id) as { points: Point[] };
    edges.set(id, { points, label: middleOf(points) });
  }
  for (const { id, from, to, quiet } of graph.edges) {
    const [one, other] = [nodes.get(from), nodes.get(to)];
    if (quiet && one !== undefined && other !== undefined)
      edges.set(id, besides(one, other, [...nodes.values()], direction));
  }

  const above = new Map(graph.groups.map(({ path, group }) => [path, group]));
  const groupOf = new Map(graph.nodes.map(({ path, group }) => [path, group]));
  const isIn = (path: string, group: string): boolean => {
    for (let at = groupOf.get(path) ?? null; at !== null; at = above.get(at) ?? null) if (at === group) return true;
    return false;
  };
  const groups = new Map<string, Box>();
  for (const { path } of graph.groups.toReversed()) {
    const inside = [
      ...graph.nodes.filter((node) => node.group === path && !node.self).map((node) => nodes.get(node.path)),
      ...graph.groups.filter((group) => group.group === path).map((group) => groups.get(group.path)),
    ].filter((box) => box !== undefined);
    if (inside.length === 0) continue;
    const lines = graph.edges.filter((edge) => edge.quiet && isIn(edge.from, path) && isIn(edge.to, path));
    const wide = boxAround([...inside, ...lines.map(({ id }) => labelBox(edges.get(id)?.label))]);
    const others = graph.nodes.filter((node) => !isIn(node.path, path)).map((node) => nodes.get(node.path));
    const box = others.some((other) => other !== undefined && doOverlap(wide, other)) ? boxAround(inside) : wide;
    const dot = nodes.get(path);
    groups.set(path, dot === undefined ? box : reaching(box, { x: dot.x + DOT / 2, y: dot.y + DOT / 2 }));
  }
  const labels = [...edges.values()].map((edge) => labelBox(edge.label));
  const points = [...edges.values()].flatMap((edge) => edge.points);
  const whole = boxAround([
    ...nodes.values(),
    ...groups.values(),
    ...labels,
    ...points.map((at) => ({ ...at, width: 0, height: 0 })),
  ]);
  return { nodes, groups, edges, whole };
}

/** A line that runs beside the nodes of a row or a column, or else straight from one to the other. */
function besides(from: Box, to: Box, all: readonly Box[], direction: "LR" | "TB"): { points: Point[]; label: Point } {
  const across = direction === "LR";
  // Worked out for a column with the line on its right; a row is that turned.
  const turned = ({ x, y, width, height }: Box): Box =>
    across ? { x, y, width, height } : turn({ x, y, width, height });
  const back = ({ x, y }: Point): Point => (across ? { x, y } : { x: y, y: x });
  const [one, other] = [turned(from), turned(to)];
  if (Math.min(one.x + one.width, other.x + other.width) <= Math.max(one.x, other.x)) {
    const [start, end] = [borderTowards(from, centreOf(to)), borderTowards(to, centreOf(from))];
    const middle = between(start, end);
    return { points: [start, middle, end], label: middle };
  }
  const isDown = one.y < other.y;
  const [top, bottom] = isDown ? [one, other] : [other, one];
  const passed = all
    .map(turned)
    .filter((box) => box.y > top.y && box.y < bottom.y && box.x < top.x + top.width && top.x < box.x + box.width);
  const right = Math.max(...[top, bottom, ...passed].map((box) => box.x + box.width));
  const x = right + BESIDE.first + passed.length * BESIDE.next;
  const [high, low] = [top.y + top.height * 0.7, bottom.y + bottom.height * 0.3];
  const bend = [
    { x: top.x + top.width, y: high },
    { x, y: high },
    { x, y: low },
    { x: bottom.x + bottom.width, y: low },
  ].map(back);
  return { points: isDown ? bend : bend.toReversed(), label: back({ x, y: (high + low) / 2 }) };
}

function turn({ x, y, width, height }: Box): Box {
  return { x: y, y: x, width: height, height: width };
}

function centreOf({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Where the line from the middle of a box to a point leaves it. */
function borderTowards(box: Box, to: Point): Point {
  const { x, y } = centreOf(box);
  const [dx, dy] = [to.x - x, to.y - y];
  const part = Math.min(1, box.width / 2 / Math.abs(dx || 1e-9), box.height / 2 / Math.abs(dy || 1e-9));
  return { x: x + dx * part, y: y + dy * part };
}

function doOverlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

function labelBox(at: Point = { x: 0, y: 0 }): Box {
  return { x: at.x - 17, y: at.y - 9, width: 34, height: 18 };
}

/** The box, larger where it has to be to have the point inside or on its border. */
function reaching(box: Box, to: Point): Box {
  const [x, y] = [Math.min(box.x, to.x), Math.min(box.y, to.y)];
  const right = Math.max(box.x + box.width, to.x);
  const bottom = Math.max(box.y + box.height, to.y);
  return { x, y, width: right - x, height: bottom - y };
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
