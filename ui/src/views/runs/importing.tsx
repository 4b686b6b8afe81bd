/** Bringing runs in from files: chosen, or dropped on the page. */

import { Anchor } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { type DragEvent, type ReactNode, useCallback, useRef, useState } from "react";

import { importFile } from "@/api/client";

import classes from "./RunsPage.module.css";

export type Bring = (files: readonly File[]) => Promise<void>;

/** Notices of files that could not be imported; gone when one could. */
const failures = new Set<string>();

/** Import files one after the other; each says what became of it. */
export function useImport(): { bring: Bring; busy: boolean } {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const bring = useCallback<Bring>(
    async (files) => {
      setBusy(true);
      for (const file of files) {
        const id = notifications.show({ loading: true, autoClose: false, message: `Importing ${file.name}` });
        try {
          const { run } = await importFile(file);
          for (const failure of failures) notifications.hide(failure);
          failures.clear();
          notifications.update({
            id,
            loading: false,
            autoClose: 8000,
            title: `${file.name} is here`,
            message: (
              // What is notified stands outside of the pages, where there are no links between them.
              <Anchor component="button" onClick={() => void navigate({ to: "/runs/$run", params: { run } })}>
                Open {run}
              </Anchor>
            ),
          });
        } catch (error) {
          failures.add(id);
          notifications.update({
            id,
            loading: false,
            autoClose: false,
            color: "red",
            title: `${file.name} cannot be imported`,
            message: (error as Error).message,
          });
        }
      }
      setBusy(false);
    },
    [navigate],
  );
  return { bring, busy };
}

/** A page on which files can be dropped. */
export function Dropping({ take, children }: { take: Bring; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const depth = useRef(0);
  const enter = (by: number) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  return (
    <div
      className={classes["dropping"]}
      onDragEnter={enter(1)}
      onDragLeave={enter(-1)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      }}
      onDrop={(event) => {
        depth.current = 0;
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void take([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over && <div className={classes["drop"]}>Drop exported runs (.outtake) or logs (.json) to import them</div>}
    </div>
  );
}
