/** Says, as soon as it is so, that the server is gone or was started again, and what to do. */

import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";

import { reconnect } from "@/api/client";
import { entryNow, onEntry } from "@/api/entry";
import { onNewToken } from "@/api/token";
import { useRuns } from "@/state/runs";

import { AddressForm } from "./AddressForm";
import classes from "./shell.module.css";

export function ServerNotice() {
  const entry = useSyncExternalStore(onEntry, entryNow);
  const { connection } = useRuns();
  const queries = useQueryClient();
  const locked = entry === "locked" || connection === "locked";
  const lost = !locked && connection === "lost";
  useEffect(() => onNewToken(reconnect), []);

  // What was refused meanwhile is asked again.
  const away = useRef(false);
  useEffect(() => {
    if (away.current && !locked && !lost) void queries.invalidateQueries();
    away.current = locked || lost;
  }, [locked, lost, queries]);

  if (locked)
    return (
      <section className={classes["notice"]} role="alert" aria-label="The server">
        <p>
          <b>The server was started again.</b> Its token is new: paste the address that it printed, or open that in any
          tab. This page goes on where it is.
        </p>
        <AddressForm onToken={reconnect} />
      </section>
    );
  if (lost)
    return (
      <section className={classes["notice"]} role="alert" aria-label="The server">
        <p>
          <b>The server does not answer.</b> What is shown may be out of date. Start it again where it ran, with{" "}
          <code>outtake serve</code>; runs that were going on wait for it. It is tried again all the time.
        </p>
        <Button variant="default" onClick={reconnect}>
          Try now
        </Button>
      </section>
    );
  return null;
}
