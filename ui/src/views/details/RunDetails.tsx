/** The run as a whole: what went in, what came out, what was expected, and what makes it a fork. */

import { ActionIcon, Anchor, Button, Group, TextInput, Tooltip } from "@mantine/core";
import { IconDownload, IconPencil } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { BodyView } from "@/kit/body/BodyView";
import { duration, moment } from "@/kit/words";
import { tellStatus } from "@/model/control";
import { shortName } from "@/model/names";
import { useAnnotate } from "@/state/annotations";
import { useForkEnd, useRunAgain } from "@/state/actions";
import { saveRun } from "@/state/commands";
import { RenameRun } from "@/views/runs/RenameRun";
import { RunWithChanges } from "@/views/runs/RunWithChanges";
import { useWorkspace } from "@/views/workspace/context";
import { useShow } from "@/views/workspace/docking";

import classes from "./Details.module.css";
import { NewRemark, Remarks } from "./Remarks";

export function RunDetails() {
  const { id, run, view, select } = useWorkspace();
  const [renaming, setRenaming] = useState(false);
  const runAgain = useRunAgain();
  const forkEnd = useForkEnd();
  const show = useShow();
  const info = view.info;
  if (info === null) return null;
  const seconds = (info.ended ?? Date.now() / 1000) - info.created;
  return (
    <article className={classes["details"]} aria-label={`Run ${id}`}>
      <header className={classes["head"]}>
        <h2 className={classes["title"]}>
          {id} {info.name || info.changed}
        </h2>
        <Tooltip label="Rename the run">
          <ActionIcon aria-label="Rename the run" onClick={() => setRenaming(true)}>
            <IconPencil size={16} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Save the run as a file">
          <ActionIcon aria-label="Save the run as a file" onClick={() => void saveRun(id)}>
            <IconDownload size={16} />
          </ActionIcon>
        </Tooltip>
      </header>
      {!info.imported && !info.live && (
        <Group gap={6} mb={12}>
          <Button variant="light" onClick={() => void runAgain(info.run)}>
            Run again
          </Button>
          <RunWithChanges
            run={info.run}
            renderButton={(open) => (
              <Button variant="default" onClick={open}>
                Run with changes…
              </Button>
            )}
          />
          <Button
            variant="default"
            title="A fork with all of this run behind it, for a team that can be told more.  To do again what failed, select it and edit it or fork there."
            onClick={() => void forkEnd(info)}
          >
            Go on from the end
          </Button>
        </Group>
      )}
      <Remarks run={id} seq={null} />
      {info.input !== null && <BodyView value={info.input} label="Input" />}
      {info.error === null ? (
        !info.live && <BodyView value={info.output} label="Output" />
      ) : (
        <BodyView value={info.error} label="Error" />
      )}
      <Expected />
      {info.difference !== null && info.difference !== undefined && (
        <BodyView value={info.difference} label="Where it departs from the record" />
      )}
      <dl className={classes["facts"]}>
        <div>
          <dt>Status</dt>
          <dd>{tellStatus(info)}</dd>
        </div>
        <div>
          <dt>Target</dt>
          <dd className="mono">{info.spec}</dd>
        </div>
        {info.folder !== "" && (
          <div>
            <dt>Folder</dt>
            <dd className="mono">{info.folder}</dd>
          </div>
        )}
        <div>
          <dt>Started</dt>
          <dd>{info.timed ? `${moment(info.created)}, ${duration(seconds)}` : "Its log has no times"}</dd>
        </div>
        {info.recognised !== "" && (
          <div>
            <dt>Read from</dt>
            <dd>
              {info.log}: {info.recognised}
            </dd>
          </div>
        )}
        {info.guessed.length > 0 && (
          <div>
            <dt>Guessed</dt>
            <dd>{info.guessed.join("; ")}</dd>
          </div>
        )}
        {info.parent !== null && (
          <div>
            <dt>Fork of</dt>
            <dd>
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/runs/$run"
                    params={{ run: info.parent ?? "" }}
                    search={{ at: info.changed_at ?? info.cut ?? 0 }}
                  />
                )}
              >
                {info.parent} at #{info.changed_at ?? info.cut}
              </Anchor>
              {", "}
              <Anchor component="button" size="sm" onClick={() => show("compare")}>
                compare
              </Anchor>
            </dd>
          </div>
        )}
      </dl>
      {info.edits.length > 0 && (
        <section>
          <h3 className={classes["label"]}>Edits of this fork</h3>
          <ul className={classes["edits"]}>
            {info.edits.map((edit, n) => (
              <li key={n}>
                <span className="mono">{edit.op}</span>{" "}
                {typeof edit.seq === "number" && (
                  <Anchor component="button" size="sm" onClick={() => select(edit.seq ?? undefined)}>
                    #{edit.seq}
                  </Anchor>
                )}{" "}
                {edit.component && <span>{shortName(edit.component)} </span>}
                {edit.value !== undefined && <BodyView value={edit.value} label="Value" />}
              </li>
            ))}
          </ul>
        </section>
      )}
      <NewRemark run={id} seq={null} />
      {renaming && <RenameRun run={info} close={() => setRenaming(false)} renamed={() => void run.refresh()} />}
    </article>
  );
}

/** The answer that is expected of this run and its forks; it can be set here. */
function Expected() {
  const { id, run, view } = useWorkspace();
  const annotate = useAnnotate(id);
  const [text, setText] = useState<string | null>(null);
  const expected = view.info?.expected ?? null;
  if (text === null)
    return (
      <section className={classes["expected"]}>
        <h3 className={classes["label"]}>Expected answer</h3>
        <span>{expected ?? <span className="quiet">Not known</span>}</span>
        <Tooltip label="Say what is expected: runs are then marked right or wrong">
          <ActionIcon size="sm" aria-label="Set the expected answer" onClick={() => setText(expected ?? "")}>
            <IconPencil size={13} />
          </ActionIcon>
        </Tooltip>
      </section>
    );
  const save = async () => {
    if (await annotate.add({ kind: "expectation", text, author: "user" })) {
      setText(null);
      await run.refresh();
    }
  };
  return (
    <form
      className={classes["expected"]}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextInput
        size="xs"
        aria-label="Expected answer"
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={text.trim() === ""}>
        Save
      </Button>
      <Button variant="subtle" color="gray" onClick={() => setText(null)}>
        Cancel
      </Button>
    </form>
  );
}
