/** What people and judges have said about a run or a record, and a place to say more. */

import { ActionIcon, Anchor, Button, Textarea, Tooltip } from "@mantine/core";
import { IconMessagePlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import type { Annotation } from "@/api/schema";
import { useAnnotate, useAnnotations } from "@/state/annotations";

import { useWorkspace } from "@/views/workspace/context";

import classes from "./Details.module.css";

/** What was said: about one record, or, for a run, about it and all its records. */
export function Remarks({ run, seq }: { run: string; seq: number | null }) {
  const all = useAnnotations(run);
  const { remove } = useAnnotate(run);
  const told = all.filter((annotation) => annotation.kind !== "expectation");
  const mine = seq === null ? told : told.filter((annotation) => annotation.seq === seq);
  if (mine.length === 0) return null;
  return (
    <section className={classes["remarks"]} aria-label="Remarks">
      {mine.map((annotation) => (
        <Remark
          key={annotation.id}
          annotation={annotation}
          linked={seq === null}
          onRemove={() => void remove(annotation.id)}
        />
      ))}
    </section>
  );
}

/** A place to say something about a record or a run. */
export function NewRemark({ run, seq }: { run: string; seq: number | null }) {
  const { add } = useAnnotate(run);
  const [text, setText] = useState<string | null>(null);
  const save = async () => {
    if (text === null || text.trim() === "") return;
    if (await add({ kind: "feedback", text: text.trim(), author: "user", seq })) setText(null);
  };
  if (text === null)
    return (
      <Button variant="subtle" color="gray" leftSection={<IconMessagePlus size={14} />} onClick={() => setText("")}>
        Add a remark
      </Button>
    );
  return (
    <>
      <Textarea
        aria-label="Remark"
        autosize
        minRows={2}
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
          if (event.key === "Escape") setText(null);
        }}
      />
      <Button mt={6} mr={6} onClick={() => void save()} disabled={text.trim() === ""}>
        Save
      </Button>
      <Button mt={6} variant="subtle" color="gray" onClick={() => setText(null)}>
        Cancel
      </Button>
    </>
  );
}

const KINDS: { [kind in Annotation["kind"]]: string } = {
  expectation: "Expected",
  verdict: "Verdict",
  feedback: "Remark",
  finding: "Finding",
};

interface RemarkProps {
  annotation: Annotation;
  /** Whether to lead to the record that it is about. */
  linked: boolean;
  onRemove: () => void;
}

function Remark({ annotation, linked, onRemove }: RemarkProps) {
  const { select } = useWorkspace();
  const { kind, author, text, data } = annotation;
  const passed = data["passed"];
  return (
    <div className={classes["remark"]} data-kind={kind}>
      <div className={classes["remarkHead"]}>
        <b>{KINDS[kind]}</b>
        {typeof passed === "boolean" && <span>{passed ? "passed" : "failed"}</span>}
        {linked && annotation.seq !== null && (
          <Anchor component="button" size="sm" onClick={() => select(annotation.seq ?? undefined)}>
            #{annotation.seq}
          </Anchor>
        )}
        <span className="quiet">by {author}</span>
        <Tooltip label="Remove">
          <ActionIcon size="xs" aria-label={`Remove this ${KINDS[kind].toLowerCase()}`} onClick={onRemove}>
            <IconTrash size={13} />
          </ActionIcon>
        </Tooltip>
      </div>
      <div>{text}</div>
    </div>
  );
}
