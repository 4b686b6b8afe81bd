/** What became of a fork's changes: what was executed, served, given by a person, not reached, and what that saved. */

import { Alert, Button, Loader } from "@mantine/core";
import { useThrottledValue } from "@mantine/hooks";
import { IconPencil } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";

import { api, got } from "@/api/client";
import type { Report, RunInfo } from "@/api/schema";
import { plainText } from "@/kit/diff/plain";
import { count, duration, money } from "@/kit/words";
import { soleText, untyped } from "@/model/body";
import { barsOf, type Fate, fateName, FATES, hasValue, linesOf, REUSES, tellBar, tellMock } from "@/model/mocks";
import { shortName } from "@/model/names";
import { useDrafts } from "@/state/drafts";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Mocks.module.css";

/** While a run goes on, it is reported anew as often as this, in milliseconds. */
const PATIENCE = 2000;
const LINE = 26;

export function ForkReport() {
  const { id, view } = useWorkspace();
  const { info } = view;
  const calm = useThrottledValue(`${info?.status} ${info?.live ? view.outline.length : ""}`, PATIENCE);
  const { data, error } = useQuery({
    queryKey: ["report", id, calm],
    queryFn: () => got(api.GET("/api/runs/{run}/report", { params: { path: { run: id } } })) as Promise<Report>,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error)
    return (
      <Alert color="red" m="sm" title="There is no report">
        {error.message}
      </Alert>
    );
  if (data === undefined || info === null) return <Loader size="sm" m="md" aria-label="Loading the report" />;
  return <Told report={data} info={info} />;
}

function Told({ report, info }: { report: Report; info: RunInfo }) {
  const [fate, setFate] = useState<Fate | null>(null);
  const [kind, setKind] = useState<string | null>(null);
  const bars = barsOf(report.counts);
  const lines = linesOf(report, fate, kind);
  const edits = [...info.edits, ...info.mocks];
  const fates = FATES.filter((known) => bars.some(({ parts }) => parts.some((part) => part.fate === known)));
  return (
    <div className={classes["report"]}>
      <div className={classes["told"]}>
        <p>
          {report.parent === null ? (
            <>Its changes hold since its start.</>
          ) : (
            <>
              Forked from{" "}
              <Link to="/runs/$run" params={{ run: report.parent }} search={{ at: info.changed_at ?? report.cut }}>
                {report.parent}
              </Link>{" "}
              at #{info.changed_at ?? report.cut}. Served from it: {reuseOf(info.reuse)}.
            </>
          )}
        </p>
        <div className={classes["bars"]} role="group" aria-label="What became of its invocations">
          {bars.map((bar) => (
            <button
              key={bar.kind}
              type="button"
              className={classes["bar"]}
              aria-pressed={kind === bar.kind}
              title={`Only ${bar.kind}s`}
              onClick={() => setKind(kind === bar.kind ? null : bar.kind)}
            >
              <span>{bar.kind}</span>
              <span className={classes["track"]} aria-hidden>
                {bar.parts.map((part) => (
                  <span
                    key={part.fate}
                    data-fate={part.fate}
                    style={{ width: `${(part.count / bar.total) * 100}%` }}
                    title={`${part.count} ${fateName(part.fate, info.live)}`}
                  />
                ))}
              </span>
              <span className={classes["counts"]}>{tellBar(bar, info.live)}</span>
            </button>
          ))}
        </div>
        <p className={classes["saved"]}>{savedIn(report)}</p>
        {edits.length > 0 && <Edits info={info} edits={edits} unused={report.unused} />}
      </div>
      <div className={classes["found"]}>
        <div className={classes["chips"]} role="group" aria-label="Only those that were">
          {fates.map((known) => (
            <button
              key={known}
              type="button"
              className={classes["chip"]}
              aria-pressed={fate === known}
              onClick={() => setFate(fate === known ? null : known)}
            >
              <i data-fate={known} aria-hidden /> {fateName(known, info.live)}
            </button>
          ))}
          <span className="quiet number">{count(lines.length, "invocation")}</span>
        </div>
        <Lines lines={lines} parent={report.parent} live={info.live} />
      </div>
    </div>
  );
}

function Edits({ info, edits, unused }: { info: RunInfo; edits: RunInfo["edits"]; unused: Report["unused"] }) {
  const put = useDrafts((drafts) => drafts.put);
  const navigate = useNavigate();
  const never = new Set(unused.map((edit) => JSON.stringify(edit)));
  return (
    <>
      <ul className={classes["edits"]} aria-label="Its changes">
        {edits.map((edit) => (
          <li key={JSON.stringify(edit)}>
            <b>{tellMock(edit)}</b>
            {never.has(JSON.stringify(edit)) && (
              <>
                <span className={classes["never"]}>never applied</span>
                <p className={classes["where"]}>Nothing that it names happened{info.live ? " so far" : ""}.</p>
              </>
            )}
            {hasValue(edit) && (
              <pre className={classes["value"]}>{soleText(edit.value) ?? plainText(untyped(edit.value))}</pre>
            )}
          </li>
        ))}
      </ul>
      {info.parent !== null && info.edits.length > 0 && (
        <Button
          variant="default"
          leftSection={<IconPencil size={14} />}
          onClick={() => {
            const { parent } = info;
            if (parent === null) return;
            put(
              parent,
              info.edits.map((edit, n) => ({ id: n + 1, edit, told: tellMock(edit) })),
            );
            void navigate({ to: "/runs/$run", params: { run: parent }, search: { tray: true } });
          }}
        >
          Change these and fork {info.parent} again
        </Button>
      )}
    </>
  );
}

function reuseOf(reuse: string | null): string {
  return REUSES.find(({ value }) => value === reuse)?.label.toLowerCase() ?? "what matches";
}

function savedIn({ saved }: Report): string {
  const calls = Object.values(saved.calls).reduce((sum, number) => sum + number, 0);
  if (calls === 0 && saved.seconds === 0) return "Nothing could be served from the record.";
  const tokens = saved.tokens_in + saved.tokens_out;
  const parts = [
    calls > 0 ? count(calls, "call") : "",
    tokens > 0 ? count(tokens, "token") : "",
    money(saved.cost),
    saved.seconds > 0.0005 ? duration(saved.seconds) : "",
  ];
  return `Saved by not doing again what did not change: ${parts.filter(Boolean).join(", ")}.`;
}

interface LinesProps {
  lines: Report["lines"];
  parent: string | null;
  live: boolean;
}

function Lines({ lines, parent, live }: LinesProps) {
  const { select, place } = useWorkspace();
  const box = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library
  const drawn = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE,
    overscan: 10,
  });
  return (
    <div ref={box} className={classes["lines"]} tabIndex={0} role="group" aria-label="Its invocations, in order">
      <div style={{ height: drawn.getTotalSize(), position: "relative" }}>
        {drawn.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const { seq, parent_seq: theirs } = line;
          return (
            <div
              key={key}
              className={classes["row"]}
              data-chosen={(seq !== null && seq === place.at) || undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className={classes["fate"]}>
                <i data-fate={line.fate} aria-hidden /> {fateName(line.fate, live)}
              </span>
              <span className="ellipsis" title={line.component}>
                {seq === null ? (
                  shortName(line.component)
                ) : (
                  <button type="button" className={classes["link"]} onClick={() => select(seq)}>
                    {shortName(line.component)}
                  </button>
                )}{" "}
                <span className="quiet">
                  {line.kind} {line.occurrence}
                </span>
                {line.failed && <span className={classes["problem"]}> failed</span>}
              </span>
              <span className={classes["numbers"]}>{seq === null ? "" : `#${seq}`}</span>
              <span className={classes["numbers"]}>
                {theirs !== null && parent !== null && (
                  <Link
                    to="/runs/$run"
                    params={{ run: parent }}
                    search={{ at: theirs }}
                    aria-label={`Record ${theirs} of ${parent}`}
                  >
                    {parent} #{theirs}
                  </Link>
                )}
              </span>
              <span className={classes["numbers"]}>{duration(line.seconds)}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
