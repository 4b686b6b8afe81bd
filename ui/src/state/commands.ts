/** What a person tells a run to do; what the server refuses is said, with its reason. */

import { notifications } from "@mantine/notifications";

import { api, ApiError, exportFile, got, shareFile } from "@/api/client";
import type { ForkRequest, ReleaseRequest, RunInfo, RunRequest, SendRequest } from "@/api/schema";

import { conditionsFrom } from "./kept";

/** Milliseconds after which a browser has begun to save a file. */
const SAVED = 60_000;

export type Verb = "step" | "next" | "out" | "continue" | "pause" | "stop";

/** Do something, and say why when it does not work; gives undefined then. */
export async function attempt<T>(what: string, doing: () => Promise<T>): Promise<T | undefined> {
  try {
    return await doing();
  } catch (error) {
    // The page asks for the new address, and says why.
    if (error instanceof ApiError && error.code === "unauthorized") return undefined;
    notifications.show({ color: "red", title: what, message: (error as Error).message, autoClose: 8000 });
    return undefined;
  }
}

/** Save a run as a file of this computer, for import. */
export async function saveRun(run: string): Promise<void> {
  save(await attempt("Cannot export", () => exportFile(run)), `${run}.outtake`);
}

/** Save a run as a page that opens without Outtake. */
export async function shareRun(run: string): Promise<void> {
  save(await attempt("Cannot share", () => shareFile(run)), `${run}.html`);
}

function save(file: Blob | undefined, name: string): void {
  if (file === undefined) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED);
}

const at = (run: string) => ({ params: { path: { run } } });

/** Step, go on, pause or end a live run. */
export async function control(run: string, verb: Verb, hold: number | null = null): Promise<void> {
  await attempt(`Cannot ${verb}`, async () => {
    const body = hold === null ? null : { hold };
    switch (verb) {
      case "step":
        return got(api.POST("/api/runs/{run}/step", { ...at(run), body }));
      case "next":
        return got(api.POST("/api/runs/{run}/next", { ...at(run), body }));
      case "out":
        return got(api.POST("/api/runs/{run}/out", { ...at(run), body }));
      case "continue":
        return got(api.POST("/api/runs/{run}/continue", { ...at(run), body }));
      case "pause":
        return got(api.POST("/api/runs/{run}/pause", { ...at(run), body }));
      case "stop":
        return got(api.POST("/api/runs/{run}/stop", { ...at(run), body }));
    }
  });
}

/** Answer something that is held. */
export async function release(run: string, answer: ReleaseRequest): Promise<boolean> {
  const done = await attempt("Cannot answer", () =>
    got(api.POST("/api/runs/{run}/release", { ...at(run), body: answer })),
  );
  return done !== undefined;
}

/** Set what something that is held goes on with; it stays held.  A plain `proceed` takes that back. */
export async function setAnswer(run: string, answer: ReleaseRequest): Promise<boolean> {
  const done = await attempt("Cannot set it", () => got(api.POST("/api/runs/{run}/set", { ...at(run), body: answer })));
  return done !== undefined;
}

/** Go on until a queued message is about to be delivered. */
export async function runTo(run: string, message: number): Promise<void> {
  await attempt("Cannot run to here", () => got(api.POST("/api/runs/{run}/run-to", { ...at(run), body: { message } })));
}

/** Give a queued message another content. */
export async function editMessage(run: string, message: number, value: unknown): Promise<boolean> {
  const body = { message, value };
  return (
    (await attempt("Cannot edit", () => got(api.POST("/api/runs/{run}/edit", { ...at(run), body })))) !== undefined
  );
}

export async function dropMessage(run: string, message: number): Promise<void> {
  await attempt("Cannot drop", () => got(api.POST("/api/runs/{run}/drop", { ...at(run), body: { message } })));
}

/** Put a queued message before another one, or last. */
export async function moveMessage(run: string, message: number, before: number | null): Promise<void> {
  const body = { message, before };
  await attempt("Cannot move", () => got(api.POST("/api/runs/{run}/move", { ...at(run), body })));
}

export async function sendMessage(run: string, body: SendRequest): Promise<boolean> {
  return (
    (await attempt("Cannot send", () => got(api.POST("/api/runs/{run}/send", { ...at(run), body })))) !== undefined
  );
}

/** Change a setting of a component of a live run, from now on. */
export async function configure(run: string, component: string, key: string, value: unknown): Promise<boolean> {
  const body = { component, key, value };
  const asked = () => got(api.POST("/api/runs/{run}/configure", { ...at(run), body }));
  return (await attempt("Cannot change the setting", asked)) !== undefined;
}

/** Fork a run; a person is asked before the program of one that came in a file is started. */
export async function forked(run: string, body: ForkRequest): Promise<RunInfo> {
  const asked = (trust: boolean) =>
    got(api.POST("/api/runs/{run}/fork", { ...at(run), body: { ...body, trust } })) as Promise<RunInfo>;
  try {
    return await asked(false);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "untrusted" && window.confirm(error.message))) throw error;
    return asked(true);
  }
}

/** Go on from a record of a run in a new one, with the breakpoints of that run; gives it. */
export async function fork(run: string, asked: ForkRequest): Promise<RunInfo | undefined> {
  return attempt("Cannot fork", () => forked(run, { breakpoints: conditionsFrom(run), ...asked }));
}

/** Whether what a run was started with may be started again: somebody else wrote what came in a file. */
export function mayStart({ run, untrusted, spec, folder, python }: RunInfo): boolean {
  return (
    !untrusted ||
    window.confirm(`${run} came in a file. Start what the file names, ${spec} in ${folder} with ${python}?`)
  );
}

export async function startRun(body: RunRequest): Promise<RunInfo | undefined> {
  return attempt("Cannot start the run", () => got(api.POST("/api/runs", { body })) as Promise<RunInfo>);
}

/** Start the demo's run: it works wherever Outtake does. */
export async function startDemo(): Promise<RunInfo | undefined> {
  return attempt("Cannot start the demo", () => got(api.POST("/api/demo", { body: {} })) as Promise<RunInfo>);
}

/** What a run was started with, to start it once more. */
export function asBefore(info: RunInfo): RunRequest {
  const { spec, folder, python, input, name, mocks, config, args, expected } = info;
  return {
    spec,
    folder,
    python,
    name,
    edits: mocks,
    config,
    args,
    breakpoints: conditionsFrom(info.run),
    ...(input !== null && input !== undefined && { input }),
    ...(expected && { expected }),
  };
}

/** Start what a run was started with once more; gives the new run. */
export async function runAgain(run: string): Promise<RunInfo | undefined> {
  const asked = () => got(api.GET("/api/runs/{run}", at(run))) as Promise<RunInfo>;
  const info = await attempt("Cannot run again", asked);
  return info && mayStart(info) ? startRun(asBefore(info)) : undefined;
}

export async function renameRun(run: string, name: string): Promise<boolean> {
  const asking = () => got(api.PATCH("/api/runs/{run}", { ...at(run), body: { name } }));
  return (await attempt("Cannot rename", asking)) !== undefined;
}

export async function deleteRun(run: string): Promise<boolean> {
  return (await attempt("Cannot delete", () => got(api.DELETE("/api/runs/{run}", at(run))))) !== undefined;
}
