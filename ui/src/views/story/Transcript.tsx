/** A run in one column, from top to bottom: to read, to print, to copy as Markdown. */

import { Alert, Anchor, Button, Center, CopyButton, Group, Loader } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconArrowLeft, IconCheck, IconCopy, IconPrinter, IconShare } from "@tabler/icons-react";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";

import Markdown from "@/kit/body/Markdown";
import { count, oneLine } from "@/kit/words";
import { runTitle } from "@/model/names";
import type { Outline } from "@/model/outline";
import { markdownOf, MOST_CARDS, recordsOfTranscript, transcriptOf, WHOLE } from "@/model/transcript";
import { storyOf } from "@/model/turns";
import { shareRun } from "@/state/commands";
import { useRun } from "@/state/run";
import { useTranscriptWords } from "@/state/transcript";
import { useTurns } from "@/state/turns";
import { hueColour } from "@/views/components/kinds";

import classes from "./Transcript.module.css";

export function Transcript() {
  const { run: id } = useParams({ from: "/runs/$run/transcript" });
  const { view } = useRun(id);
  const title = view.info === null ? id : runTitle(view.info);
  useDocumentTitle(`${title} · Transcript`);
  if (view.error !== null && view.info === null) return <Alert color="red">{view.error.message}</Alert>;
  if (!view.whole || view.info === null)
    return (
      <Center h="100%" component="main">
        <Loader aria-label="Loading the run" />
      </Center>
    );
  return <Column id={id} title={title} outline={view.outline} />;
}

function Column({ id, title, outline }: { id: string; title: string; outline: Outline }) {
  const { turns, hues, version } = useTurns(outline);
  const { story, left } = useMemo(() => {
    const whole = storyOf(turns, outline, WHOLE);
    return {
      story: { ...whole, turns: whole.turns.subarray(0, MOST_CARDS) },
      left: Math.max(0, whole.length - MOST_CARDS),
    };
    // The turns change in place: the version tells.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [turns, outline, version]);
  const { whole, glanced } = useMemo(() => recordsOfTranscript(turns, story), [turns, story]);
  const { data, error } = useTranscriptWords(id, `${outline.length}`, whole, glanced);
  const sections = useMemo(() => {
    if (data === undefined) return [];
    const glance = (seq: number) => oneLine(data.glances.get(seq)?.text ?? "", 300);
    return transcriptOf(turns, outline, story, (seq) => data.words.get(seq), glance);
  }, [data, turns, outline, story]);
  if (error) return <Alert color="red">{error.message}</Alert>;
  return (
    <main className={classes["page"]}>
      <Group className={classes["bar"]} gap={8}>
        <Anchor renderRoot={(props) => <Link {...props} to="/runs/$run" params={{ run: id }} search={{}} />}>
          <IconArrowLeft size={14} aria-hidden /> {id}
        </Anchor>
        <span className={classes["space"]} />
        <CopyButton value={markdownOf(title, sections)}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              disabled={sections.length === 0}
              leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
              onClick={copy}
            >
              Copy as Markdown
            </Button>
          )}
        </CopyButton>
        <Button variant="default" leftSection={<IconShare size={14} />} onClick={() => void shareRun(id)}>
          Share as one file
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={14} />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
      <h1 className={classes["title"]}>{title}</h1>
      {data === undefined && <Loader aria-label="Loading what was said" />}
      {sections.map(({ seq, depth, title: name, text }) => (
        <section
          key={seq}
          className={classes["section"]}
          data-depth={Math.min(depth, 4)}
          style={{ "--who": hueColour(hues.of(outline.component(seq))) } as React.CSSProperties}
        >
          <h2 className={classes["who"]}>
            {name}{" "}
            <Link className={classes["seq"]} to="/runs/$run" params={{ run: id }} search={{ at: seq }}>
              #{seq}
            </Link>
          </h2>
          <Markdown text={text} />
        </section>
      ))}
      {left > 0 && <p className="quiet">{count(left, "more turn")} are not in this transcript.</p>}
    </main>
  );
}
