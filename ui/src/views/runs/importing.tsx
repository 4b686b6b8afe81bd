/** Bringing runs in from files: chosen, or dropped on the page. */

import { Anchor, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { type DragEvent, type ReactNode, useCallback, useRef, useState } from "react";

import { importFile } from "@/api/client";
import type { Imported } from "@/api/schema";

import classes from "./RunsPage.module.css";

export type Bring = (files: readonly File[]) => Promise<void>;

interface Failure {
  file: string;
  message: string;
}

/** The one notice of files that could not be imported; gone when others are. */
let notice: string | null = null;

function dropNotice(): void {
  if (notice !== null) notifications.hide(notice);
  notice = null;
}

/** Import files one after the other; each says what became of it, and one notice why some could not be. */
export function useImport(): { bring: Bring; busy: boolean } {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const bring = useCallback<Bring>(
    async (files) => {
      setBusy(true);
      dropNotice();
      const failed: Failure[] = [];
      for (const file of files) {
        const id = notifications.show({ loading: true, autoClose: false, message: `Importing ${file.name}` });
        try {
          const told = await importFile(file);
          const runs = Object.values(told.runs);
          notifications.update({
            id,
            loading: false,
            autoClose: told.guessed.length > 0 ? 20_000 : 8000,
            title: runs.length > 1 ? `${file.name} is here: ${runs.length} runs` : `${file.name} is here`,
            message: (
              <>
                <Recognised told={told} />
                {/* What is notified stands outside of the pages, where there are no links between them. */}
                <Anchor
                  component="button"
                  onClick={() => void navigate({ to: "/runs/$run", params: { run: told.run } })}
                >
                  Open {told.run}
                </Anchor>
              </>
            ),
          });
        } catch (error) {
          dropNotice();
          notice = id;
          failed.push({ file: file.name, message: (error as Error).message });
          notifications.update({
            id,
            loading: false,
            autoClose: false,
            color: "red",
            title:
              failed.length === 1 ? `${file.name} cannot be imported` : `${failed.length} files cannot be imported`,
            message: <Why failed={failed} />,
          });
        }
      }
      setBusy(false);
    },
    [navigate],
  );
  return { bring, busy };
}

/** What a log was recognised as, and what it does not say and was taken for likely. */
function Recognised({ told }: { told: Imported }) {
  if (told.log === "") return null;
  return (
    <>
      <Text span display="block" size="sm">
        A log of {told.log}: it has {told.recognised}.
      </Text>
      {told.guessed.map((guess) => (
        <Text key={guess} span display="block" size="sm" c="dimmed">
          Guessed: {guess}.
        </Text>
      ))}
    </>
  );
}

/** Why files could not be imported, each under its name where there are several. */
function Why({ failed }: { failed: readonly Failure[] }) {
  return failed.map(({ file, message }) => (
    <Text key={file} span display="block" size="sm" c="var(--mantine-color-text)">
      {failed.length > 1 && <b>{file}: </b>}
      {message.charAt(0).toUpperCase() + message.slice(1)}.
    </Text>
  ));
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
      {over && (
        <div className={classes["drop"]}>Drop exported runs (.outtake) or logs of other programs to import them</div>
      )}
    </div>
  );
}
