/** What changed of the program's own code, in words. */

import type { Code } from "@/api/schema";

const FEW = 3;

/** Files that are not what the run imported any more. */
export function changedSince(code: Code): string[] {
  return code.files.filter(({ since_run }) => since_run === "changed" || since_run === "gone").map(({ path }) => path);
}

/** "boom.py changed since r1", or nothing where nothing has. */
export function tellChanged(code: Code): string {
  const paths = changedSince(code);
  if (paths.length === 0) return "";
  return `${listed(paths)} changed since ${code.run}`;
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - FEW;
  return `${paths.slice(0, FEW).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

const MANY: { [call: string]: string } = { tool: "tools", model: "models", step: "steps", task: "tasks" };
const ONE: { [call: string]: string } = { tool: "tool", model: "model", step: "step", task: "task" };

/** "boom.py changed since r1: 2 tools, 1 prompt"; nothing where no file has. */
export function tellChangedParts(code: Code): string {
  const told = tellChanged(code);
  const counts = Object.keys(ONE)
    .map((call) => [call, code.renewed.filter((one) => one.call === call).length] as const)
    .filter(([, n]) => n > 0)
    .map(([call, n]) => `${n} ${(n === 1 ? ONE : MANY)[call] ?? call}`);
  const prompts = new Set(code.prompts.map(({ now }) => now)).size;
  if (prompts > 0) counts.push(`${prompts} ${prompts === 1 ? "prompt" : "prompts"}`);
  return told === "" || counts.length === 0 ? told : `${told}: ${counts.join(", ")}`;
}

/**
 * The record from which on a fork executes all of the new code: the first that is known to be concerned, else the first of
 * all, from which on what is asked as before comes from the record. Null where no file has changed.
 */
export function firstConcerned(code: Code): number | null {
  if (changedSince(code).length === 0) return null;
  const known = [...code.renewed, ...code.prompts].map(({ seq }) => seq);
  return known.length === 0 ? 0 : Math.min(...known);
}

/** What a fork served though its code had changed, and what to do about it; nothing where all is current. */
export function tellStale({ stale }: Code): string {
  if (stale.length === 0) return "";
  const names = stale.map(({ component }) => component).join(", ");
  return `Before the cut, served as recorded from the old code: ${names}. An earlier cut executes ${stale.length === 1 ? "it" : "them"}.`;
}

/** What is new in a fork whose program was changed. */
export function tellNewCode(files: readonly string[]): string {
  return `new code in ${listed(files)}`;
}
