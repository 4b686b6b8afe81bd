/** What is about to happen: what is held, what is queued, and a message of one's own. */

import { Alert, Button } from "@mantine/core";
import { useThrottledValue } from "@mantine/hooks";
import { IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { api, got } from "@/api/client";
import { Empty } from "@/kit/Empty";
import { count } from "@/kit/words";
import { isFields, type Schema } from "@/model/schema";
import { useComponents } from "@/state/components";
import { useSending } from "@/state/sending";
import { useWorkspace } from "@/views/workspace/context";

import { HoldCard } from "./HoldCard";
import classes from "./Pending.module.css";
import { Queue } from "./Queue";
import { SendForm } from "./SendForm";

/** The queue of a run that goes on is asked for so often, in milliseconds. */
const PAUSE = 300;

export default function Pending() {
  const { view } = useWorkspace();
  const { info } = view;
  if (info === null) return null;
  if (info.imported)
    return <Empty title="Nothing is pending">This is an imported log: there is no program that could go on.</Empty>;
  return info.live ? <LivePending /> : <EndedPending />;
}

function LivePending() {
  const { id, view } = useWorkspace();
  const { byPath } = useComponents(id, view);
  const { data, error, refetch } = useQuery({
    queryKey: ["pending", id],
    queryFn: () => got(api.GET("/api/runs/{run}/pending", { params: { path: { run: id } } })),
    retry: false,
  });
  const holds = (view.info?.held ?? []).map((hold) => `${hold.hold}${hold.set ? "+" : ""}`).join(" ");
  const sign = useThrottledValue(`${holds} ${view.info?.status} ${view.outline.version}`, PAUSE);
  useEffect(() => {
    void refetch();
  }, [sign, refetch]);
  const schemaOf = (component: string, type: string): Schema | null => {
    const accepts = byPath.get(component)?.told?.accepts ?? {};
    const schema = accepts[type] ?? accepts["arguments"];
    return isFields(schema) ? schema : null;
  };
  const held = data?.held ?? [];
  const queued = data?.queued ?? [];
  return (
    <div className={classes["pending"]}>
      {error !== null && data === undefined && (
        <Alert color="red" m="sm">
          {error.message}
        </Alert>
      )}
      <h3 className={classes["part"]}>{held.length === 0 ? "Nothing is held" : `${held.length} held`}</h3>
      {held.length === 0 && (
        <p className={classes["quiet"]}>
          {view.info?.status === "paused"
            ? "The run takes hold at the very next gate."
            : "Pause (F6) holds what comes next; a breakpoint holds where it says."}
        </p>
      )}
      {held.map((hold) => (
        <HoldCard
          key={hold.hold}
          hold={hold}
          schema={schemaOf(hold.component, hold.type ?? "")}
          alone={held.length === 1}
        />
      ))}
      <h3 className={classes["part"]}>
        {queued.length === 0 ? "No message is queued" : `${count(queued.length, "message")} queued, the next one first`}
      </h3>
      <Queue
        queued={queued}
        held={new Set(held.flatMap((hold) => hold.message ?? []))}
        schemaOf={schemaOf}
        onChanged={() => void refetch()}
      />
      <Sending />
    </div>
  );
}

function EndedPending() {
  const { id } = useWorkspace();
  return (
    <div className={classes["pending"]}>
      <h3 className={classes["part"]}>Nothing is pending</h3>
      <p className={classes["quiet"]}>{id} has ended. A fork goes on from any record, with a change if you like.</p>
      <Sending />
    </div>
  );
}

function Sending() {
  const { id, view } = useWorkspace();
  const { run, to, begin, end } = useSending();
  const { description, nodes } = useComponents(id, view);
  const offered = description?.capabilities ?? [];
  const takes =
    offered.includes("inject") || offered.includes("queue") || nodes.some((node) => (node.did?.received ?? 0) > 0);
  if (!takes) return <p className={classes["quiet"]}>This program takes no messages.</p>;
  if (to === null || run !== id)
    return (
      <div className={classes["buttons"]}>
        <Button variant="default" leftSection={<IconSend size={14} />} onClick={() => begin(id, "")}>
          Send a message…
        </Button>
      </div>
    );
  return <SendForm key={to} to={to} onClose={end} />;
}
