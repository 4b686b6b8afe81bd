/** What of the history is shown: a search, kinds, components, and the framework's plumbing. */

import {
  ActionIcon,
  Checkbox,
  Indicator,
  Loader,
  Menu,
  Pill,
  Popover,
  SegmentedControl,
  Stack,
  TextInput,
  Tooltip,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import {
  IconAlertTriangle,
  IconArrowsVertical,
  IconChevronDown,
  IconChevronUp,
  IconFileText,
  IconFilter,
  IconFlag,
  IconFold,
  IconPencil,
  IconPipeline,
  IconSearch,
  IconX,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";

import { count } from "@/kit/words";
import { ASPECT_NAMES, ASPECTS, type Aspect } from "@/model/aspects";
import { shortName } from "@/model/names";
import { NONE } from "@/model/outline";
import { DEFAULT_ASPECTS } from "@/model/row-choice";
import { hitsOf, nextOf } from "@/model/turns";
import { useDensity } from "@/state/density";
import { aspectsOf, DENSITIES, type Density } from "@/state/place";
import type { Found } from "@/state/search";
import { useTurns } from "@/state/turns";
import { useWorkspace } from "@/views/workspace/context";

import classes from "./Filters.module.css";
import type { Lines } from "./lines";
import { DENSITY_ABOUT, DENSITY_NAMES, useReadingOfRun, useSetDensity } from "./reading";

/** Cards that are opened at once: all that one can read in an hour. */
const MOST_OPENED = 2000;

interface FiltersProps {
  lines: Lines;
  search: Found;
  folded: ReadonlySet<number>;
  onFoldAll: (folded: ReadonlySet<number>) => void;
  /** Cards that are open. */
  opened: ReadonlySet<number>;
  onOpenAll: (opened: ReadonlySet<number>) => void;
}

const THINGS: { [density in Density]: string } = { story: "card", calls: "row", records: "row" };

export function Filters({ lines, search, folded, onFoldAll, opened, onOpenAll }: FiltersProps) {
  const { id, view, place, go, sight } = useWorkspace();
  const { outline } = view;
  const aspects = aspectsOf(place) ?? DEFAULT_ASPECTS;
  const plumbing = place.plumbing === true;
  const density = useDensity();
  const setDensity = useSetDensity();
  const thing = THINGS[density];
  const { turns } = useTurns(outline);
  const hits = useMemo(() => {
    if (search.found === null) return [];
    const told = density === "story" ? hitsOf(turns, outline, search.found) : [...search.found];
    return told.filter((seq) => lines.tells(lines.lineOf(seq), seq)).toSorted((one, other) => one - other);
  }, [search.found, density, turns, outline, lines]);
  const hit = place.at === undefined ? NONE : hits.indexOf(place.at);
  const toHit = (back: boolean) => {
    const seq = nextOf(hits, place.at ?? NONE, back);
    if (seq === NONE) return;
    go({ at: seq, component: undefined });
    sight.reveal(seq);
  };
  const openAll = () => {
    const starts = new Set<number>();
    for (let line = 0; line < Math.min(lines.length, MOST_OPENED); line++) starts.add(lines.seqAt(line));
    onOpenAll(starts);
  };
  const foldAll = () => {
    const starts = new Set<number>();
    for (let seq = 0; seq < outline.length; seq++) {
      const call = outline.call(seq);
      if (outline.kind(seq) === "invocation_started" && call !== "flow" && call !== null) starts.add(seq);
    }
    onFoldAll(starts);
  };
  return (
    <search className={classes["bar"]}>
      <SegmentedControl
        size="xs"
        className={classes["density"]}
        aria-label="How densely the run is told"
        value={density}
        onChange={(to) => setDensity(to as Density)}
        data={DENSITIES.map((value) => ({
          value,
          label: (
            <span title={`${DENSITY_ABOUT[value].about} (${DENSITY_ABOUT[value].key})`}>{DENSITY_NAMES[value]}</span>
          ),
        }))}
      />
      <SearchField onHit={toHit} />
      <span className={classes["told"]} role="status">
        {search.loading && <Loader size={12} aria-label="Searching" />}
        {search.error !== null
          ? search.error.message
          : search.found === null
            ? count(lines.length, thing)
            : search.loading && search.total === 0
              ? "searching…"
              : hit >= 0
                ? `${(hit + 1).toLocaleString("en")} of ${count(hits.length, "place")}`
                : search.found.size < search.total
                  ? `${count(search.total, "record")} found, the first ${search.found.size.toLocaleString("en")} shown`
                  : `${count(search.total, "record")} found${lines.length < search.total ? `, in ${count(lines.length, thing)}` : ""}`}
      </span>
      {search.found !== null && search.firsts < search.total && (
        <Checkbox
          size="xs"
          className={classes["new"]}
          label="where it is new"
          title="Leave out the records that only repeat it, as prompts do with all that was said before"
          checked={place.first === true}
          onChange={({ currentTarget }) => go({ first: currentTarget.checked ? true : undefined })}
        />
      )}
      {place.only !== undefined && (
        <Pill
          withRemoveButton
          onRemove={() => go({ only: undefined })}
          removeButtonProps={{ "aria-label": "Show all components" }}
        >
          only {place.only.split(",").map(shortName).join(", ")}
        </Pill>
      )}
      {place.show !== undefined && (
        <Pill
          withRemoveButton
          onRemove={() => go({ show: undefined })}
          removeButtonProps={{ "aria-label": "Show what has no errors, too" }}
        >
          only {place.show}
        </Pill>
      )}
      <span className={classes["space"]} />
      <Jumps />
      <Tooltip label="Transcript: all of it in one column, to print or to copy">
        <ActionIcon
          aria-label="Transcript"
          renderRoot={(props) => <Link {...props} to="/runs/$run/transcript" params={{ run: id }} />}
        >
          <IconFileText size={16} />
        </ActionIcon>
      </Tooltip>
      <Tooltip
        label={
          plumbing
            ? "Hide the framework's internals"
            : `Show the framework's internals: ${count(lines.plumbing, density === "story" ? "turn" : "record")} that only keep it going`
        }
      >
        <ActionIcon
          aria-label="Framework's internals"
          aria-pressed={plumbing}
          variant={plumbing ? "light" : "subtle"}
          color={plumbing ? "cyan" : "gray"}
          onClick={() => go({ plumbing: plumbing ? undefined : true })}
        >
          <IconPipeline size={16} />
        </ActionIcon>
      </Tooltip>
      {density === "story" ? (
        <Tooltip label={opened.size > 0 ? "Close all cards" : "Open all cards"}>
          <ActionIcon
            aria-label={opened.size > 0 ? "Close all cards" : "Open all cards"}
            onClick={() => (opened.size > 0 ? onOpenAll(new Set()) : openAll())}
          >
            {opened.size > 0 ? <IconFold size={16} /> : <IconArrowsVertical size={16} />}
          </ActionIcon>
        </Tooltip>
      ) : (
        <Tooltip label={folded.size > 0 ? "Unfold all" : "Fold all invocations"}>
          <ActionIcon
            aria-label={folded.size > 0 ? "Unfold all" : "Fold all"}
            onClick={() => (folded.size > 0 ? onFoldAll(new Set()) : foldAll())}
          >
            {folded.size > 0 ? <IconArrowsVertical size={16} /> : <IconFold size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
      <KindFilter aspects={aspects} />
      <ComponentFilter />
    </search>
  );
}

/** From error to error, from change to change, to the answer; and the filters for the first two. */
function Jumps() {
  const { place, go } = useWorkspace();
  const { errors, changes, toError, toChange, toAnswer } = useReadingOfRun();
  const only = (show: "errors" | "changes") => go({ show: place.show === show ? undefined : show });
  return (
    <span className={classes["jumps"]}>
      {errors > 0 && (
        <span className={classes["jump"]} data-tone="failed">
          <Tooltip
            label={
              place.show === "errors"
                ? "Show everything again"
                : `Only what has errors in it: ${count(errors, "error")}`
            }
          >
            <button
              type="button"
              aria-label={count(errors, "error")}
              aria-pressed={place.show === "errors"}
              onClick={() => only("errors")}
            >
              <IconAlertTriangle size={13} aria-hidden />
              {errors.toLocaleString("en")}
            </button>
          </Tooltip>
          <Steps what="error" keys={["Shift+X", "X"]} to={toError} />
        </span>
      )}
      {changes > 0 && (
        <span className={classes["jump"]} data-tone="edited">
          <Tooltip
            label={
              place.show === "changes" ? "Show everything again" : `Only what was changed: ${count(changes, "change")}`
            }
          >
            <button
              type="button"
              aria-label={count(changes, "change")}
              aria-pressed={place.show === "changes"}
              onClick={() => only("changes")}
            >
              <IconPencil size={13} aria-hidden />
              {changes.toLocaleString("en")}
            </button>
          </Tooltip>
          <Steps what="change" keys={["Shift+D", "D"]} to={toChange} />
        </span>
      )}
      <Tooltip label="Go to the answer (A)">
        <ActionIcon aria-label="Go to the answer" onClick={toAnswer}>
          <IconFlag size={16} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}

function Steps({ what, keys, to }: { what: string; keys: [string, string]; to: (back: boolean) => void }) {
  return (
    <>
      <Tooltip label={`Previous ${what} (${keys[0]})`}>
        <ActionIcon size="xs" aria-label={`Previous ${what}`} onClick={() => to(true)}>
          <IconChevronUp size={13} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={`Next ${what} (${keys[1]})`}>
        <ActionIcon size="xs" aria-label={`Next ${what}`} onClick={() => to(false)}>
          <IconChevronDown size={13} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

function SearchField({ onHit }: { onHit: (back: boolean) => void }) {
  const { place, go } = useWorkspace();
  const [text, setText] = useState(place.q ?? "");
  const typed = useRef(place.q ?? "");
  const send = useDebouncedCallback((q: string) => {
    typed.current = q;
    go(q === "" ? { q: undefined, first: undefined } : { q });
  }, 200);
  useEffect(() => {
    if ((place.q ?? "") !== typed.current) {
      typed.current = place.q ?? "";
      setText(place.q ?? "");
    }
  }, [place.q]);
  return (
    <TextInput
      id="search"
      size="xs"
      className={classes["search"]}
      placeholder="Search what was said"
      aria-label="Search the records"
      leftSection={<IconSearch size={14} />}
      rightSection={
        text !== "" && (
          <ActionIcon
            size="xs"
            aria-label="Clear the search"
            title="Clear the search"
            onClick={() => {
              setText("");
              send("");
            }}
          >
            <IconX size={12} />
          </ActionIcon>
        )
      }
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "ArrowDown" || event.key === "ArrowUp") {
          event.preventDefault();
          onHit(event.key === "ArrowUp" || event.shiftKey);
        }
        if (event.key !== "Escape") return;
        setText("");
        send("");
      }}
    />
  );
}

function KindFilter({ aspects }: { aspects: ReadonlySet<Aspect> }) {
  const { go, place } = useWorkspace();
  const set = (next: Set<Aspect>) => {
    const usual = next.size === DEFAULT_ASPECTS.size && [...next].every((aspect) => DEFAULT_ASPECTS.has(aspect));
    go({ kinds: usual ? undefined : ASPECTS.filter((aspect) => next.has(aspect)).join(",") || "none" });
  };
  return (
    <Popover position="bottom-end" withinPortal trapFocus>
      <Popover.Target>
        <Tooltip label="Kinds of records">
          <Indicator disabled={place.kinds === undefined} size={7} offset={4}>
            <ActionIcon aria-label="Kinds of records">
              <IconFilter size={16} />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={6}>
          {ASPECTS.map((aspect) => (
            <Checkbox
              key={aspect}
              size="xs"
              label={ASPECT_NAMES[aspect]}
              checked={aspects.has(aspect)}
              onChange={({ currentTarget }) => {
                const next = new Set(aspects);
                if (currentTarget.checked) next.add(aspect);
                else next.delete(aspect);
                set(next);
              }}
            />
          ))}
          <button type="button" className={classes["reset"]} onClick={() => go({ kinds: undefined })}>
            The usual ones
          </button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function ComponentFilter() {
  const { view, place, go } = useWorkspace();
  const [open, setOpen] = useState(false);
  const { outline } = view;
  const paths = open ? componentsOf() : [];
  return (
    <Menu position="bottom-end" withinPortal opened={open} onChange={setOpen} closeOnItemClick={false}>
      <Menu.Target>
        <Tooltip label="Components that are shown">
          <Indicator disabled={place.only === undefined} size={7} offset={4}>
            <ActionIcon aria-label="Components that are shown">
              <span aria-hidden className={classes["at"]}>
                @
              </span>
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown mah={360} className={classes["list"]}>
        <Menu.Item onClick={() => go({ only: undefined })}>All components</Menu.Item>
        <Menu.Divider />
        {paths.map((path) => {
          const chosen = place.only?.split(",") ?? [];
          const is = chosen.includes(path);
          return (
            <Menu.Item
              key={path}
              role="menuitemcheckbox"
              aria-checked={is}
              leftSection={<Checkbox size="xs" checked={is} readOnly tabIndex={-1} aria-hidden />}
              onClick={() => {
                const next = is ? chosen.filter((other) => other !== path) : [...chosen, path];
                go({ only: next.length > 0 ? next.join(",") : undefined });
              }}
            >
              <span title={path}>{shortName(path)}</span>
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );

  function componentsOf(): string[] {
    const found = new Set<string>();
    for (let seq = 0; seq < outline.length; seq++) {
      const path = outline.component(seq);
      if (path !== "") found.add(path);
    }
    return [...found].toSorted();
  }
}
