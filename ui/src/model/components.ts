/**
 * The components of a run: what the target says about them and what the records show, as a tree by their paths, with what
 * each did and what it does now.
 */

import type { Component } from "@/api/schema";

import { type Call, isCopy, NONE, type Outline } from "./outline";
import { isFields, propertiesOf, type Schema } from "./schema";

/** To what is called so, a team repeats what was said. */
const SINK = "/output";

/** What one component did, by the records. */
export interface Did {
  path: string;
  /** The kind of its invocations; nothing where it only sent or was sent messages. */
  call: Call | null;
  sent: number;
  received: number;
  calls: number;
  errors: number;
  /** Invocations that have begun and not ended. */
  open: number;
  /** Whether the last invocation that ended had failed. */
  failedLast: boolean;
  /** The first and the last record that names it. */
  first: number;
  last: number;
}

/** How often something went from one component to another. */
export interface Flow {
  from: string;
  to: string;
  by: "message" | "call";
  count: number;
  /** How many of its messages went to several recipients at once. */
  shared: number;
  /** The last record of it. */
  last: number;
}

/**
 * Counts over a run that grows: each update costs what has come since the one before.  What the records say is only in
 * the outline; where records were taken back, all is counted again.
 */
export class Tally {
  /** Changes when something was counted. */
  version = 0;
  readonly byPath = new Map<string, Did>();
  readonly flows = new Map<string, Flow>();
  /** Flows that are told by the invocation in them. */
  private readonly doubled = new Set<number>();
  /** How many settings were changed. */
  settings = 0;
  private counted = 0;
  private lastAt = 0;
  /** The first copy of a message, until it is known to be one of several. */
  private letter: Flow | null = null;

  update(outline: Outline): void {
    const gone = outline.length < this.counted || (this.counted > 0 && outline.at(this.counted - 1) !== this.lastAt);
    if (gone) this.clear();
    if (outline.length === this.counted) return;
    for (let seq = this.counted; seq < outline.length; seq++) this.count(outline, seq);
    this.counted = outline.length;
    this.lastAt = outline.at(this.counted - 1);
    this.version++;
  }

  private clear(): void {
    this.byPath.clear();
    this.flows.clear();
    this.doubled.clear();
    this.letter = null;
    this.settings = 0;
    this.counted = 0;
    this.version++;
  }

  private count(outline: Outline, seq: number): void {
    const path = outline.component(seq);
    if (path === "") return;
    const kind = outline.kind(seq);
    if (kind === "config_set") this.settings++;
    if (kind === "message_queued") {
      const recipient = outline.recipient(seq);
      const sender = this.of(path, seq);
      if (recipient === "" || outline.has(seq, "empty") || recipient.endsWith(SINK)) return;
      // A team's repetition of what was said is not counted, so what comes after it is no copy of it.
      const copy = isCopy(outline, seq) && !outline.recipient(seq - 1).endsWith(SINK);
      if (!copy) sender.sent++;
      this.of(recipient, seq).received++;
      const flow = this.flow(path, recipient, "message", seq);
      if (!copy) this.letter = flow;
      else {
        flow.shared++;
        if (this.letter !== null && this.letter.from === path) {
          this.letter.shared++;
          this.letter = null;
        }
      }
    } else if (kind === "invocation_started") {
      const did = this.of(path, seq);
      const parent = outline.reference(seq, "parent");
      did.open++;
      if (isRunItself(outline, seq, parent)) {
        did.call = outline.call(seq);
        this.doubled.add(parent);
        return;
      }
      did.call ??= outline.call(seq);
      did.calls++;
      if (parent === NONE || outline.reference(seq, "message") !== NONE) return;
      const caller = outline.component(parent);
      if (caller !== "") this.flow(caller, path, "call", seq);
    } else if (kind === "invocation_ended") {
      const did = this.of(path, seq);
      did.call ??= outline.call(seq);
      did.open = Math.max(0, did.open - 1);
      did.failedLast = outline.has(seq, "failed");
      if (did.failedLast && !this.doubled.has(outline.reference(seq, "invocation"))) did.errors++;
    } else if (kind === "noted") {
      this.of(path, seq);
    }
  }

  private of(path: string, seq: number): Did {
    let did = this.byPath.get(path);
    if (did === undefined) {
      did = {
        path,
        call: null,
        sent: 0,
        received: 0,
        calls: 0,
        errors: 0,
        open: 0,
        failedLast: false,
        first: seq,
        last: seq,
      };
      this.byPath.set(path, did);
    }
    did.last = seq;
    return did;
  }

  private flow(from: string, to: string, by: Flow["by"], seq: number): Flow {
    const key = `${by} ${from} ${to}`;
    const flow = this.flows.get(key) ?? { from, to, by, count: 0, shared: 0, last: seq };
    this.flows.set(key, flow);
    flow.count++;
    flow.last = seq;
    return flow;
  }
}

/** Whether an invocation is that of the function that is the run itself: the flow around it is the same call. */
function isRunItself(outline: Outline, seq: number, parent: number): boolean {
  const inFlow = parent !== NONE && outline.call(parent) === "flow" && outline.call(seq) !== "flow";
  return inFlow && outline.component(parent) === outline.component(seq);
}

export interface ComponentNode {
  path: string;
  /** Its name below its parent. */
  name: string;
  /** As the target says, or the kind of its invocations. */
  kind: string;
  depth: number;
  parent: string | null;
  /** How many components are directly in it. */
  parts: number;
  /** What the target says about it. */
  told: Component | null;
  did: Did | null;
}

/**
 * All components as a tree, written as a list: each is followed by its parts.  What is held before it has done anything is
 * in no record yet; it has a node all the same.
 */
export function componentTree(
  told: readonly Component[],
  tally: Tally,
  held: readonly { component: string; call: string | null }[] = [],
): ComponentNode[] {
  const byPath = new Map(told.map((one) => [one.path, one]));
  const seen = [...tally.byPath.values()].toSorted((one, other) => one.first - other.first).map((did) => did.path);
  const kinds = new Map(held.filter((one) => one.component !== "").map((one) => [one.component, one.call]));
  const paths = [...new Set([...byPath.keys(), ...seen, ...kinds.keys()])];
  const known = new Set(paths);
  const inside = new Map<string | null, string[]>();
  for (const path of paths) {
    const parent = parentOf(path, known);
    const siblings = inside.get(parent);
    if (siblings === undefined) inside.set(parent, [path]);
    else siblings.push(path);
  }
  const nodes: ComponentNode[] = [];
  const walk = (parent: string | null, depth: number) => {
    for (const path of inside.get(parent) ?? []) {
      const own = byPath.get(path) ?? null;
      const did = tally.byPath.get(path) ?? null;
      const parts = inside.get(path)?.length ?? 0;
      if (parts === 0 && isSink(path, did)) continue;
      nodes.push({
        path,
        name: nameIn(path, parent),
        kind: kindOf(path, own, did, parts, kinds.get(path) ?? null),
        depth,
        parent,
        parts,
        told: own,
        did,
      });
      walk(path, depth + 1);
    }
  };
  walk(null, 0);
  return nodes;
}

/** The component that this one is in: the nearest of the paths above it that is one. */
export function parentOf(path: string, known: ReadonlySet<string>): string | null {
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
    const above = path.slice(0, cut);
    if (known.has(above)) return above;
  }
  return null;
}

/** Whether a component only collects what a team shows, as AutoGen's output does. */
function isSink(path: string, did: Did | null): boolean {
  if (!path.endsWith(SINK)) return false;
  return did === null || (did.call === "agent" && did.sent === 0 && did.received === 0);
}

function nameIn(path: string, parent: string | null): string {
  const below = parent === null ? path : path.slice(parent.length + 1);
  return below.startsWith("tools/") ? below.slice("tools/".length) : below;
}

function kindOf(path: string, told: Component | null, did: Did | null, parts: number, heldAs: string | null): string {
  if (told !== null && told.kind !== "") return told.kind;
  if (did?.call) return did.call;
  if (heldAs) return heldAs;
  if (path === "user") return "user";
  return parts > 0 ? "team" : "agent";
}

export type ComponentState = "held" | "running" | "failed" | "idle";

/** What a component does now; nothing runs in a run that has ended. */
export function stateOf(did: Did | null, live: boolean, held: boolean): ComponentState {
  if (held) return "held";
  if (live && did !== null && did.open > 0) return "running";
  return did?.failedLast ? "failed" : "idle";
}

/** What a component did, in the fewest words: messages of who speaks, calls of what is called. */
export function didMost({ kind, did }: ComponentNode): { number: number; thing: "message" | "call" } {
  const speaks = did !== null && did.sent > 0 && kind !== "model" && kind !== "tool";
  return speaks ? { number: did.sent, thing: "message" } : { number: did?.calls ?? 0, thing: "call" };
}

/** The nodes that are shown: those whose name or path has the text with all around them, and what is not folded away. */
export function shownNodes(
  nodes: readonly ComponentNode[],
  filter: string,
  folded: ReadonlySet<string>,
): ComponentNode[] {
  const text = filter.trim().toLowerCase();
  if (text !== "") {
    const kept = new Set<string>();
    const parents = new Map(nodes.map((node) => [node.path, node.parent]));
    for (const node of nodes)
      if (node.path.toLowerCase().includes(text) || node.kind.includes(text))
        for (let at: string | null = node.path; at !== null; at = parents.get(at) ?? null) kept.add(at);
    return nodes.filter((node) => kept.has(node.path));
  }
  const hidden = new Set<string>();
  return nodes.filter((node) => {
    const gone = node.parent !== null && (hidden.has(node.parent) || folded.has(node.parent));
    if (gone) hidden.add(node.path);
    return !gone;
  });
}

/** The message types that a component accepts, with their schemas; the arguments of a tool are none. */
export function messageTypes(told: Component | null): [string, Schema][] {
  if (told === null || told.kind === "tool") return [];
  return Object.entries(told.accepts).map(([name, schema]) => [name, isFields(schema) ? schema : {}]);
}

/** The settings of a component that can be changed, and the facts that only say how it was made. */
export function settingsOf(told: Component): { settings: [string, Schema][]; facts: [string, unknown][] } {
  const settings = propertiesOf(told.schema).map((one): [string, Schema] => [one.name, one.schema]);
  const names = new Set(settings.map(([name]) => name));
  const isSaid = ([name, value]: [string, unknown]) => !names.has(name) && value !== null && value !== "unknown";
  return { settings, facts: Object.entries(told.config).filter(isSaid) };
}
