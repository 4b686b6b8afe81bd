/** Where a record, or a text that is marked in it, came from, and what a change of it could reach. */

import { Anchor, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useState } from "react";

import { api, got } from "@/api/client";
import { oneLine } from "@/kit/words";
import { shortName } from "@/model/names";
import { tellReach } from "@/model/reach";
import { HAND_ROLES, nearestOf, RELATIONS } from "@/model/origins";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Why.module.css";

/** Records that are listed. */
const MOST = 14;
const SHORTEST = 2;
const LONGEST = 300;

type Asked = { what: "from"; text: string | null } | { what: "follows" } | null;

/** `says` is where the record's texts are: one that is marked there can be asked about. */
export function Origins({ seq, says }: { seq: number; says: RefObject<HTMLElement | null> }) {
  const [asked, setAsked] = useState<Asked>(null);
  const marked = useMarked(says);
  const toggle = (next: NonNullable<Asked>) => setAsked(JSON.stringify(asked) === JSON.stringify(next) ? null : next);
  return (
    <section className={classes["origins"]} aria-label="Where from, and what follows">
      <Group gap={6}>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={asked?.what === "from" && asked.text === null}
          onClick={() => toggle({ what: "from", text: null })}
        >
          Where from?
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={asked?.what === "follows"}
          onClick={() => toggle({ what: "follows" })}
        >
          What follows?
        </Button>
        {marked !== null && (
          <Button
            size="compact-sm"
            variant="light"
            // A press would take the mark away before the click is there.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => setAsked({ what: "from", text: marked })}
          >
            Where is “{oneLine(marked, 24)}” from?
          </Button>
        )}
      </Group>
      {asked?.what === "from" && <From key={`${seq} ${asked.text}`} seq={seq} text={asked.text} />}
      {asked?.what === "follows" && <Follows seq={seq} />}
    </section>
  );
}

/** The text that is marked inside of an element. */
function useMarked(box: RefObject<HTMLElement | null>): string | null {
  const [marked, setMarked] = useState<string | null>(null);
  useEffect(() => {
    const look = () => {
      const selection = document.getSelection();
      const node = selection?.anchorNode ?? null;
      const text = selection?.toString().trim() ?? "";
      const inside = node !== null && box.current?.contains(node) === true;
      setMarked(inside && text.length >= SHORTEST && text.length <= LONGEST ? text : null);
    };
    document.addEventListener("selectionchange", look);
    return () => document.removeEventListener("selectionchange", look);
  }, [box]);
  return marked;
}

function From({ seq, text }: { seq: number; text: string | null }) {
  const { id } = useWorkspace();
  const { data, error } = useQuery({
    queryKey: ["why", id, seq, text],
    queryFn: () => {
      const query = { seq, limit: 200, ...(text !== null && { text }) };
      return got(api.GET("/api/runs/{run}/why", { params: { path: { run: id }, query } }));
    },
    retry: false,
  });
  if (error !== null) return <p className="quiet">{error.message}</p>;
  if (data === undefined) return null;
  if (text !== null)
    return (
      <ol className={classes["sources"]}>
        {data.hands.slice(0, MOST).map((hand) => (
          <Source key={hand.seq} seq={hand.seq} how={HAND_ROLES[hand.role]} said={around(hand.match)} />
        ))}
      </ol>
    );
  const links = nearestOf(data.chain, seq).slice(0, MOST);
  if (links.length === 0) return <p className="quiet">Nothing before it is known to have led to it.</p>;
  return (
    <ol className={classes["sources"]}>
      {links.map(({ seq: from, relation, match, name }) => (
        <Source
          key={from}
          seq={from}
          how={relation === "state" ? `${RELATIONS.state} ${name}, set by` : RELATIONS[relation]}
          said={match === null ? "" : match.said}
        />
      ))}
    </ol>
  );
}

const around = (match: { before: string; said: string; after: string }) =>
  `…${match.before.slice(-30)}${match.said}${match.after.slice(0, 40)}…`;

function Source({ seq, how, said }: { seq: number; how: string; said: string }) {
  const { view, select } = useWorkspace();
  return (
    <li>
      <span className="quiet">{how}</span>{" "}
      <Anchor component="button" type="button" size="sm" onClick={() => select(seq)}>
        #{seq} {shortName(view.outline.component(seq))}
      </Anchor>{" "}
      {said !== "" && <span className={classes["quoted"]}>{oneLine(said, 120)}</span>}
    </li>
  );
}

function Follows({ seq }: { seq: number }) {
  const { id } = useWorkspace();
  const { data, error } = useQuery({
    queryKey: ["affects", id, seq],
    queryFn: () => got(api.GET("/api/runs/{run}/affects", { params: { path: { run: id }, query: { seq } } })),
    retry: false,
  });
  if (error !== null) return <p className="quiet">{error.message}</p>;
  if (data === undefined) return null;
  const calls = data.could.filter(({ call }) => call === "model" || call === "tool");
  return (
    <>
      <p className={classes["reach"]}>After a change here: {tellReach(data.calls)}</p>
      <ol className={classes["sources"]}>
        {calls.slice(0, MOST).map((reached) => (
          <Source key={reached.seq} seq={reached.seq} how="" said={reached.because.told} />
        ))}
      </ol>
      {calls.length > MOST && <p className="quiet">and {calls.length - MOST} more calls</p>}
    </>
  );
}
