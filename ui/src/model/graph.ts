/** Components as a graph: what the target says can flow, and what did flow. */

import type { Edge } from "@/api/schema";

import type { ComponentNode, Flow } from "./components";
import { shortName } from "./names";

export interface GraphNode {
  path: string;
  name: string;
  kind: string;
  /** The group that it is drawn in. */
  group: string | null;
  /** It stands for a group that sends or is sent something itself, and is drawn as a dot. */
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
  /** Only copies of what was said to several of a group at once: drawn thin, and moves nothing. */
  quiet: boolean;
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
const TO_SEVERAL = "to several at once";

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
  const edgeOf = (from: string, to: string, said = false): GraphEdge | null => {
    const source = shownAs(from);
    const target = shownAs(to);
    if (source === null || target === null) return null;
    if (source === target && from !== to) return null;
    if (!said && around.has(source) && isInside(target, source)) return null;
    const id = `${source} → ${target}`;
    const known = edges.get(id);
    if (known !== undefined) return known;
    const edge = { id, from: source, to: target, messages: 0, calls: 0, label: "", last: -1, quiet: false };
    edges.set(id, edge);
    return edge;
  };
  for (const { source, target, label } of told) {
    const edge = edgeOf(source, target);
    if (edge !== null && edge.label === "") edge.label = label ?? "";
  }
  for (const node of shown.values()) if (isPart(node) && node.parent !== null) edgeOf(node.parent, node.path);
  const inOneGroup = (one: string, other: string): boolean => {
    for (let at = parents.get(one) ?? null; at !== null; at = parents.get(at) ?? null)
      if (around.has(at) && isInside(other, at)) return true;
    return false;
  };
  const meant = new Set(edges.keys());
  for (const flow of flows) {
    const edge = edgeOf(flow.from, flow.to, flow.by === "message");
    if (edge === null) continue;
    const toSeveral = flow.by === "message" && flow.shared === flow.count && inOneGroup(flow.from, flow.to);
    if (!toSeveral) meant.add(edge.id);
    if (flow.by === "message") edge.messages += flow.count;
    else edge.calls += flow.count;
    edge.last = Math.max(edge.last, flow.last);
  }
  for (const edge of edges.values()) {
    if (meant.has(edge.id)) continue;
    edge.quiet = true;
    edge.label = TO_SEVERAL;
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
    // A tool is told by its own name, a model only by whose it is.
    const named = isPart(node) && !path.includes("/tools/") ? shortName(path) : name;
    if (!isGroup || touched.has(path))
      nodes.push({ path, name: named, kind, group: isGroup ? path : groupOf(node), self: isGroup });
  }
  const list = [...edges.values()];
  const shape = [
    ...nodes.map((node) => `${node.path} ${node.name}`),
    ...list.map(({ id, quiet }) => `${id} ${quiet}`),
  ].join("\n");
  return { nodes, groups, edges: list, shape };
}

function isPart(node: ComponentNode): boolean {
  return PARTS.has(node.kind) && node.parent !== null;
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
