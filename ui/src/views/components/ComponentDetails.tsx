/** One component: what it is, what it did, what can be set about it, and what it accepts. */

import { Alert, Button } from "@mantine/core";
import { IconCircleFilled, IconEye, IconMask, IconSend } from "@tabler/icons-react";

import { Empty } from "@/kit/Empty";
import { count } from "@/kit/words";
import { type ComponentNode, messageTypes, settingsOf, stateOf } from "@/model/components";
import { isAbout } from "@/model/conditions";
import { propertiesOf, prettyJson, resolved, type Schema, typeInWords } from "@/model/schema";
import { breakOn, changeBreakpoint, useBreakpoints } from "@/state/breakpoints";
import { useComponents } from "@/state/components";
import { useMocking } from "@/state/mocking";
import { useSending } from "@/state/sending";
import { useWorkspace } from "@/views/workspace/context";
import { useShowHeld } from "@/views/workspace/docking";

import classes from "./components.module.css";
import { useTurns } from "@/state/turns";
import { KindIcon, STATE_WORDS, StateMark } from "./kinds";
import { Settings } from "./Settings";

export default function ComponentDetails({ path }: { path: string }) {
  const { id, view, go } = useWorkspace();
  const { hues } = useTurns(view.outline);
  const { nodes, byPath, error } = useComponents(id, view);
  const node = byPath.get(path);
  if (node === undefined)
    return (
      <Empty title={path}>
        {view.whole ? `${id} has no component of this name.` : "It comes when the records have been read."}
      </Empty>
    );
  const live = view.info?.live === true;
  const held = view.info?.held.some((hold) => hold.component === path) === true;
  const state = stateOf(node.did, live, held);
  const parts = nodes.filter((one) => one.parent === path);
  return (
    <section className={classes["details"]} aria-label={`Component ${path}`}>
      <div className={classes["head"]}>
        <KindIcon kind={node.kind} hue={hues.of(path)} size={18} />
        <h2 className={classes["title"]}>{node.name}</h2>
        <span className="quiet">{node.kind}</span>
        <StateMark state={state} />
        <span className="quiet">{STATE_WORDS[state]}</span>
      </div>
      {node.name !== path && <p className={classes["path"]}>{path}</p>}
      {node.told?.doc && <p className={classes["doc"]}>{node.told.doc}</p>}
      <Buttons node={node} />
      <Figures node={node} />
      {node.told === null ? (
        <Alert color="gray" variant="light" p="xs">
          {error === null
            ? "The target says nothing about this component; what is here comes from the records."
            : `What the target says about its components is not known: ${error.message}`}
        </Alert>
      ) : (
        <>
          <Settings key={path} path={path} told={node.told} did={node.did} />
          <Facts node={node} />
          <Accepts node={node} />
        </>
      )}
      {parts.length > 0 && (
        <>
          <h3 className={classes["part"]}>Its parts</h3>
          <div className={classes["buttons"]}>
            {parts.map((part) => (
              <Button
                key={part.path}
                variant="default"
                leftSection={<KindIcon kind={part.kind} hue={hues.of(part.path)} size={14} />}
                onClick={() => go({ component: part.path })}
              >
                {part.name}
              </Button>
            ))}
          </div>
        </>
      )}
    </section>
  );
}

/** What can return something else without being executed, most of the time without surprise. */
const MOCKED: ReadonlySet<string> = new Set(["tool", "model", "step", "task"]);

function Buttons({ node }: { node: ComponentNode }) {
  const { id, view, place, go } = useWorkspace();
  const showHeld = useShowHeld();
  const begin = useSending((sending) => sending.begin);
  const mock = useMocking((mocking) => mocking.begin);
  const points = useBreakpoints(id);
  const point = points.find((one) => isAbout(one.text, node.path));
  const { info } = view;
  const imported = info?.imported === true;
  const only = place.only === node.path;
  const call = node.did?.call ?? node.kind;
  return (
    <div className={classes["buttons"]}>
      <Button
        variant={only ? "light" : "default"}
        aria-pressed={only}
        leftSection={<IconEye size={14} />}
        onClick={() => go({ only: only ? undefined : node.path }, "push")}
      >
        Only this in the history
      </Button>
      {!imported && node.kind !== "user" && (
        <Button
          variant={point === undefined ? "default" : "light"}
          aria-pressed={point !== undefined}
          leftSection={<IconCircleFilled size={10} color="var(--ot-failed)" />}
          onClick={() =>
            point === undefined
              ? void breakOn(id, { component: node.path, kind: node.kind })
              : void changeBreakpoint(id, point.id, "removed")
          }
        >
          {point === undefined ? "Break here" : "Do not break here"}
        </Button>
      )}
      {!imported && MOCKED.has(call) && (
        <Button
          variant="default"
          leftSection={<IconMask size={14} />}
          onClick={() => {
            mock(id, { component: node.path, call });
            go({ tray: true });
          }}
        >
          Mock it…
        </Button>
      )}
      {messageTypes(node.told).length > 0 && !imported && (
        <Button
          variant="default"
          leftSection={<IconSend size={14} />}
          onClick={() => {
            begin(id, node.path);
            showHeld();
          }}
        >
          Send a message
        </Button>
      )}
    </div>
  );
}

function isTelling([name, number]: [string, number]): boolean {
  return number > 0 || name === "calls";
}

function Figures({ node }: { node: ComponentNode }) {
  const { select, go } = useWorkspace();
  const { did } = node;
  if (did === null) return <p className="quiet">It has not done anything yet.</p>;
  const figures: [string, number][] = [
    ["messages sent", did.sent],
    ["received", did.received],
    ["calls", did.calls],
    ["errors", did.errors],
  ];
  return (
    <dl className={classes["figures"]}>
      {figures.filter(isTelling).map(([name, number]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {name === "errors" ? (
              <Button
                size="compact-xs"
                variant="subtle"
                color="red"
                px={4}
                ml={-4}
                title="Show these errors, and nothing else, in the history"
                onClick={() => go({ only: node.path, show: "errors", density: "calls" })}
              >
                {number}
              </Button>
            ) : (
              number
            )}
          </dd>
        </div>
      ))}
      {node.told?.effects && (
        <div>
          <dt>effects</dt>
          <dd>{node.told.effects}</dd>
        </div>
      )}
      <div>
        <dt>records</dt>
        <dd>
          <Button size="compact-xs" variant="subtle" px={4} ml={-4} mr={8} onClick={() => select(did.first)}>
            first #{did.first}
          </Button>
          <Button size="compact-xs" variant="subtle" px={4} ml={-4} mr={8} onClick={() => select(did.last)}>
            last #{did.last}
          </Button>
        </dd>
      </div>
    </dl>
  );
}

function Facts({ node }: { node: ComponentNode }) {
  const facts = node.told === null ? [] : settingsOf(node.told).facts;
  if (facts.length === 0) return null;
  return (
    <>
      <h3 className={classes["part"]}>How it was made</h3>
      <div className={classes["type"]}>
        <table>
          <tbody>
            {facts.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name.replaceAll("_", " ")}</th>
                <td>{typeof value === "string" ? value : JSON.stringify(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Accepts({ node }: { node: ComponentNode }) {
  const accepts = Object.entries(node.told?.accepts ?? {}) as [string, Schema][];
  if (accepts.length === 0) return null;
  const tool = node.kind === "tool";
  return (
    <>
      <h3 className={classes["part"]}>{tool ? "Arguments" : `Accepts ${count(accepts.length, "type")}`}</h3>
      {accepts.map(([name, schema]) => (
        <Type key={name} name={tool ? "" : name} schema={schema} open={accepts.length === 1} />
      ))}
    </>
  );
}

function Type({ name, schema, open }: { name: string; schema: Schema; open: boolean }) {
  const own = resolved(schema, schema).schema;
  const properties = propertiesOf(own);
  const about = typeof own["description"] === "string" ? own["description"] : "";
  return (
    <details className={classes["type"]} open={open}>
      <summary>
        {name === "" ? "Schema" : name} {about !== "" && <span className={classes["about"]}>{about}</span>}
      </summary>
      {properties.length === 0 ? (
        <p className="quiet">{own["type"] === "object" ? "It takes none." : typeInWords(schema, schema)}</p>
      ) : (
        <table>
          <tbody>
            {properties.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  {one.name}
                  {one.required && <span title="required"> *</span>}
                </th>
                <td>
                  {typeInWords(one.schema, schema)}
                  {typeof one.schema["description"] === "string" && (
                    <div className="quiet">{one.schema["description"]}</div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details className={classes["raw"]}>
        <summary>JSON schema</summary>
        {/* What scrolls can be reached by the keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre tabIndex={0}>{prettyJson(schema)}</pre>
      </details>
    </details>
  );
}
