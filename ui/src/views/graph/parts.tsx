/** What the graph is drawn with: a component, a group of them, and what flows between two. */

import {
  EdgeLabelRenderer,
  type Edge,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
} from "@xyflow/react";
import { memo } from "react";

import { count } from "@/kit/words";
import type { ComponentState } from "@/model/components";
import { hueColour, KindIcon, STATE_WORDS, StateMark } from "@/views/components/kinds";

import classes from "./Graph.module.css";

export type ComponentNodeType = Node<
  {
    path: string;
    name: string;
    kind: string;
    /** The number of its agent's colour. */
    hue: number | null;
    state: ComponentState;
    number: number;
    thing: "message" | "call";
    /** It stands for the group that it is in. */
    self: boolean;
    /** What is counted. */
    more: string;
    errors: number;
    selected: boolean;
    onOpen: (path: string) => void;
  },
  "component"
>;
export type GroupNodeType = Node<{ path: string; name: string; onOpen: (path: string) => void }, "around">;
export type FlowEdgeType = Edge<
  {
    path: string;
    x: number;
    y: number;
    text: string;
    words: string;
    /** Messages flowed. */
    counted: boolean;
    /** What the history is narrowed to. */
    only: string;
    kinds: string;
    idle: boolean;
    quiet: boolean;
    recent: boolean;
    selected: boolean;
    onOpen: (only: string, kinds: string) => void;
  },
  "flow"
>;

/** Whether what is drawn is the same, however often the data were made anew. */
function isAlike<T extends { data?: object }>(one: T, other: T): boolean {
  const before = (one.data ?? {}) as Record<string, unknown>;
  const after = (other.data ?? {}) as Record<string, unknown>;
  return Object.keys(after).every((name) => before[name] === after[name]);
}

/** Where lines could begin and end: looked for when a node is measured, and a line without them is not drawn. */
const HANDLES = (
  <>
    <Handle type="target" position={Position.Left} isConnectable={false} className={classes["handle"]} />
    <Handle type="source" position={Position.Right} isConnectable={false} className={classes["handle"]} />
  </>
);

export const ComponentBox = memo(({ data }: NodeProps<ComponentNodeType>) => {
  const { path, name, kind, hue, state, number, thing, self, more, errors, selected } = data;
  const did = number === 0 ? "" : count(number, thing);
  const words = [STATE_WORDS[state], did, errors === 0 ? "" : count(errors, "error")].filter(Boolean).join(", ");
  if (self)
    return (
      <>
        {HANDLES}
        <button
          type="button"
          className={`nopan ${classes["dot"]}`}
          aria-label={`${name} as a whole`}
          title={`${path} as a whole${more === "" ? "" : `: ${more}`}`}
          onClick={() => data.onOpen(path)}
        />
      </>
    );
  return (
    <>
      {HANDLES}
      <button
        type="button"
        className={`nopan ${classes["node"]}`}
        style={{ "--kind": hueColour(hue) } as React.CSSProperties}
        data-state={state}
        data-selected={selected}
        aria-pressed={selected}
        aria-label={`${name}, ${kind}${words === "" ? "" : `: ${words}`}`}
        title={more === "" ? path : `${path}: ${more}`}
        onClick={() => data.onOpen(path)}
      >
        <KindIcon kind={kind} hue={hue} />
        <span className={classes["words"]}>
          <span className={classes["name"]}>{name}</span>
          <span className={classes["did"]}>{words || kind}</span>
        </span>
        <StateMark state={state} />
      </button>
    </>
  );
}, isAlike);
ComponentBox.displayName = "ComponentBox";

export const GroupBox = memo(
  ({ data }: NodeProps<GroupNodeType>) => (
    <div className={classes["group"]}>
      <button type="button" className={`nopan ${classes["groupName"]}`} onClick={() => data.onOpen(data.path)}>
        {data.name}
      </button>
    </div>
  ),
  isAlike,
);
GroupBox.displayName = "GroupBox";

export const FlowLine = memo(({ data, markerStart, markerEnd }: EdgeProps<FlowEdgeType>) => {
  if (data === undefined) return null;
  const { path, x, y, text, words, counted, only, kinds, idle, quiet, recent, selected } = data;
  const marks = { "data-quiet": quiet, "data-recent": recent, "data-selected": selected };
  const told = counted ? " Each recipient's copy is counted; what has no content is not." : "";
  const shows =
    kinds === "message" ? "the messages to and from either" : only.includes(",") ? "only these two" : "its calls";
  return (
    <>
      <path
        d={path}
        className={classes["edge"]}
        data-idle={idle}
        {...marks}
        markerStart={markerStart}
        markerEnd={markerEnd}
      />
      {text !== "" && (
        <EdgeLabelRenderer>
          <button
            type="button"
            className={`nopan ${classes["edgeLabel"]}`}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            {...marks}
            aria-pressed={selected}
            aria-label={words}
            title={`${words}.${told} Click: ${shows} in the history`}
            onClick={() => data.onOpen(only, kinds)}
          >
            {text}
          </button>
        </EdgeLabelRenderer>
      )}
    </>
  );
}, isAlike);
FlowLine.displayName = "FlowLine";
