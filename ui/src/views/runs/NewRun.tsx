/** The form that starts a run: which program, what it is asked, and how it begins. */

import {
  Alert,
  Autocomplete,
  Button,
  Checkbox,
  Collapse,
  Group,
  Modal,
  Stack,
  TagsInput,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconChevronRight, IconListSearch } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";

import { api, type ApiError, got } from "@/api/client";
import type { Description, FoundProgram, RunInfo, RunRequest, RunSummary } from "@/api/schema";
import { ValueEditor } from "@/kit/ValueEditor";
import { lineOf, settingsOf, wordsOf, writtenOf } from "@/model/command-line";
import { formOf, formValue, functionsOf, inputOf, isScript, startValue, takesText } from "@/model/programs";
import { knownTargets } from "@/model/runs";
import { fieldOfRefusal, inputSchema, madeOf, type RunField } from "@/model/runs-input";
import { type Json, same } from "@/model/schema";
import { attempt } from "@/state/commands";
import { useProgram, usePrograms } from "@/state/programs";

import { Programs } from "./Programs";
import classes from "./NewRun.module.css";

/** What the form begins with. */
export interface Beginning {
  /** A run whose target and input are taken. */
  like?: string;
  /** A program that was found in the folder. */
  program?: FoundProgram;
}

interface Form {
  spec: string;
  folder: string;
  python: string;
  input: Json;
  without: boolean;
  name: string;
  expected: string;
  pause: boolean;
  breakpoints: string[];
  args: string;
  /** `COMPONENT.KEY=VALUE` each. */
  settings: string[];
}

const BLANK: Form = {
  spec: "",
  folder: "",
  python: "",
  input: "",
  without: false,
  name: "",
  expected: "",
  pause: false,
  breakpoints: [],
  args: "",
  settings: [],
};

/** The form for a program that was found: its input as empty as it may be. */
function withProgram(form: Form, program: FoundProgram): Form {
  return { ...form, spec: program.spec, input: startValue(program), without: program.takes === "nothing" };
}

/** Milliseconds after which a target that is being written is looked for. */
const CALM = 150;

const infoOf = (run: string) => got(api.GET("/api/runs/{run}", { params: { path: { run } } })) as Promise<RunInfo>;

export interface NewRunProps {
  from: Beginning | null;
  runs: readonly RunSummary[];
  close: () => void;
  started: (run: string) => void;
}

export function NewRun({ from, runs, close, started }: NewRunProps) {
  const [form, setForm] = useState(() => (from?.program ? withProgram(BLANK, from.program) : BLANK));
  const [program, setProgram] = useState(from?.program ?? null);
  const [more, setMore] = useState(false);
  const [busy, setBusy] = useState<"start" | "look" | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<{ field: RunField | null; message: string } | null>(null);
  const [found, setFound] = useState<Description | null>(null);
  const targets = knownTargets(runs);
  const here = usePrograms(form.folder.trim());
  const spec = form.spec.trim();
  const [calm] = useDebouncedValue(`${form.folder.trim()}\n${spec}`, CALM);
  const isCalm = calm === `${form.folder.trim()}\n${spec}`;
  const named = useProgram(form.folder.trim(), isCalm ? spec : "");
  const [fitted, setFitted] = useState(from?.program?.spec ?? "");
  if (isCalm && named && fitted !== spec) {
    // What was written before its arguments were known goes into the form that they have.
    setFitted(spec);
    const untouched = program !== null && same(form.input, startValue(program));
    setForm({ ...form, input: untouched ? startValue(named) : formValue(named, form.input) });
    setProgram(named);
  }
  const choose = (chosen: FoundProgram) => {
    setProgram(chosen);
    setFitted(chosen.spec);
    setForm((before) => withProgram(before, chosen));
    setFound(null);
    setRefusal(null);
  };
  const change = (to: Partial<Form>) => {
    setForm((before) => ({ ...before, ...to }));
    setRefusal(null);
  };
  const like = async (run: string, whole: boolean) => {
    const info = await attempt("Cannot read the run", () => infoOf(run));
    if (info === undefined) return;
    const { spec, folder, python } = info;
    const own: Partial<Form> = { spec, folder, python };
    const rest: Partial<Form> = {
      input: (info.input ?? "") as Json,
      without: info.input === null,
      name: info.name,
      expected: info.expected ?? "",
      args: lineOf(info.args),
      settings: writtenOf(info.config),
    };
    setForm((before) => ({ ...before, ...own, ...(whole && rest) }));
    if (whole) setFitted("");
  };
  useEffect(() => {
    if (from?.like !== undefined) void like(from.like, true);
    // Only what it begins with counts: from then on the form is the person's.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [from?.like]);
  const refused = (error: unknown) => {
    const { message } = error as ApiError;
    const field = fieldOfRefusal(message);
    setRefusal({ field, message });
    if (field !== null && field !== "spec") setMore(true);
  };
  const place = { ...(form.folder && { folder: form.folder }), ...(form.python && { python: form.python }) };
  const look = async () => {
    setBusy("look");
    setRefusal(null);
    try {
      setFound(await got(api.POST("/api/describe", { body: { spec: form.spec.trim(), ...place } })));
      if (isScript(form.spec.trim())) change({ without: true });
    } catch (error) {
      setFound(null);
      refused(error);
    }
    setBusy(null);
  };
  const start = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!form.spec.trim()) return setRefusal({ field: "spec", message: "Say which program to run" });
    if (problem !== null && !form.without) return undefined;
    const config = settingsOf(form.settings);
    if (config === null) {
      setMore(true);
      return setRefusal({ field: "config", message: "A setting is written COMPONENT.KEY=VALUE" });
    }
    setBusy("start");
    setRefusal(null);
    const body: RunRequest = {
      spec: form.spec.trim(),
      ...place,
      ...(!form.without && form.input !== "" && { input: inputOf(program, form.input) }),
      name: form.name.trim(),
      pause: form.pause,
      breakpoints: form.breakpoints,
      args: wordsOf(form.args),
      config,
      ...(form.expected.trim() && { expected: form.expected.trim() }),
    };
    try {
      const info = await got(api.POST("/api/runs", { body }));
      close();
      started((info as RunInfo).run);
    } catch (error) {
      refused(error);
      setBusy(null);
    }
    return undefined;
  };
  const about = (field: RunField) => (refusal?.field === field ? refusal.message : null);
  const schema = (found && inputSchema(found)) ?? (program && formOf(program)) ?? null;
  return (
    <Modal opened onClose={close} title="New run" size={640}>
      <form onSubmit={(event) => void start(event)}>
        <Stack gap="sm">
          <Autocomplete
            data-autofocus
            openOnFocus={false}
            label="Target"
            description={
              <>
                A Python file and a function (or team, graph, workflow) in it, or a script. A relative path starts in{" "}
                {form.folder.trim() || here?.folder || "the server's folder"}. Functions of your own are seen in a run
                once marked with <code>@outtake.model</code> or <code>@outtake.tool</code>.
              </>
            }
            placeholder="story.py:write_story"
            data={targets.map(({ spec }) => spec)}
            value={form.spec}
            error={about("spec")}
            onChange={(spec) => {
              const untouched = program !== null && same(form.input, startValue(program));
              change({ spec, ...(untouched && { input: "" }) });
              setFound(null);
              setProgram(null);
              setFitted("");
            }}
            onOptionSubmit={(spec) => {
              const known = targets.find((target) => target.spec === spec);
              if (known) void like(known.run, false);
            }}
            rightSectionWidth={112}
            rightSection={
              <Button
                variant="light"
                size="compact-xs"
                loading={busy === "look"}
                disabled={!form.spec.trim()}
                leftSection={<IconListSearch size={14} stroke={1.7} />}
                onClick={() => void look()}
                title="Build it, without running it, to see what it is made of and what its input may be"
              >
                Look at it
              </Button>
            }
          />
          {form.spec === "" && here !== undefined && here.programs.length > 0 && (
            <Programs found={here} most={40} choose={choose} />
          )}
          {program !== null && found === null && (
            <output className={classes["found"]}>
              {program.about || `Found in ${program.file}, line ${program.line}`}
              {program.kind === "script" && ". A script takes no input, but arguments, below."}
            </output>
          )}
          {found !== null && isScript(form.spec.trim()) && (
            <output className={classes["found"]}>
              It is run from its first line to its last, and takes no input, but arguments, below. What it is made of is
              known once it runs.
              {functionsOf(form.spec.trim(), here).length > 0 && " Its functions can be started instead: "}
              {functionsOf(form.spec.trim(), here).map((one) => (
                <Button key={one.spec} size="compact-xs" variant="default" mr={4} onClick={() => choose(one)}>
                  {one.spec}
                </Button>
              ))}
            </output>
          )}
          {found !== null && !isScript(form.spec.trim()) && (
            <output className={classes["found"]}>
              {madeOf(found) === "" ? "What it is made of is known once it runs. " : `It has ${madeOf(found)}. `}
              {tellInput(program, schema !== null)}
            </output>
          )}
          <fieldset className={classes["input"]}>
            <legend>Input</legend>
            <Checkbox
              size="xs"
              className={classes["without"] ?? ""}
              label="none"
              aria-label="Start it without an input"
              checked={form.without}
              onChange={(event) => change({ without: event.currentTarget.checked })}
            />
            {!form.without && (
              <ValueEditor
                key={`${from?.like ?? ""} ${program?.spec ?? ""} ${schema === null ? "" : "form"}`}
                label="Input"
                blank
                text={program === null || takesText(program)}
                schema={schema}
                value={form.input}
                onChange={(input, wrong) => {
                  change({ input });
                  setProblem(wrong);
                }}
                onSubmit={() => void start()}
              />
            )}
            {problem !== null && !form.without && <p className={classes["problem"]}>{problem}</p>}
          </fieldset>
          <TextInput
            label="Expected answer"
            description="It and its forks are marked as passed where their output holds it"
            value={form.expected}
            onChange={(event) => change({ expected: event.currentTarget.value })}
          />
          <Checkbox
            label="Hold it before its first step"
            checked={form.pause}
            onChange={(event) => change({ pause: event.currentTarget.checked })}
          />
          <div>
            <UnstyledButton aria-expanded={more} className={classes["more"]} onClick={() => setMore(!more)}>
              <IconChevronRight size={14} data-open={more || undefined} className={classes["chevron"]} aria-hidden />
              Name, folder, interpreter, breakpoints, settings
            </UnstyledButton>
            <Collapse expanded={more}>
              <Stack gap="sm" pt="xs">
                <TextInput
                  label="Name"
                  value={form.name}
                  onChange={(event) => change({ name: event.currentTarget.value })}
                />
                <TextInput
                  label="Folder"
                  description="Where it is started; else the folder that the server was started in"
                  value={form.folder}
                  error={about("folder")}
                  onChange={(event) => change({ folder: event.currentTarget.value })}
                />
                <TextInput
                  label="Interpreter"
                  description="The Python of its environment, such as .venv/bin/python; else the one of the folder's environment"
                  value={form.python}
                  error={about("python")}
                  onChange={(event) => change({ python: event.currentTarget.value })}
                />
                <TagsInput
                  label="Breakpoints"
                  description='Conditions such as tool:search, agent:coder and text~"budget", or error; Enter adds one'
                  splitChars={["\n"]}
                  value={form.breakpoints}
                  error={about("breakpoints")}
                  onChange={(breakpoints) => change({ breakpoints })}
                />
                <TagsInput
                  label="Settings"
                  description="From the start on: COMPONENT.KEY=VALUE, the value as JSON or as a text; Enter adds one"
                  splitChars={["\n"]}
                  value={form.settings}
                  error={about("config")}
                  onChange={(settings) => change({ settings })}
                />
                <TextInput
                  label="Arguments"
                  description="Of a script, as on the command line"
                  value={form.args}
                  onChange={(event) => change({ args: event.currentTarget.value })}
                />
              </Stack>
            </Collapse>
          </div>
          {refusal !== null && refusal.field === null && (
            <Alert color="red" title="The run cannot be started">
              {refusal.message}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={busy === "start"} disabled={problem !== null && !form.without}>
              Start
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** What the input of a target is, in a few words. */
function tellInput(program: FoundProgram | null, hasFields: boolean): string {
  if (program?.takes === "nothing") return "It takes no input.";
  if (!hasFields) return "It does not say what its input may be: a text, or any JSON.";
  const parameter = program?.input?.parameter ?? null;
  return program !== null && parameter !== null && takesText(program)
    ? `Its input is given to it as ${parameter}.`
    : "Its input has the fields below.";
}
