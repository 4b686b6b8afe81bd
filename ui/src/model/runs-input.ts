/** What a target may be asked: the schema of its input, where its description tells one. */

import type { Description } from "@/api/schema";

import type { Schema } from "./schema";

/** The state of a graph, or the first event of a workflow; others take a text, or do not say. */
export function inputSchema(description: Description): Schema | null {
  for (const { accepts } of description.components)
    for (const [type, schema] of Object.entries(accepts ?? {})) {
      const entry = type === "state" || type.endsWith("StartEvent");
      const properties = (schema as { properties?: object } | null)?.properties;
      if (entry && properties !== undefined && Object.keys(properties).length > 0) return schema as Schema;
    }
  return null;
}

/** What a target is made of, in a few words. */
export function madeOf(description: Description): string {
  const kinds = new Map<string, number>();
  for (const { kind } of description.components) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return [...kinds].map(([kind, n]) => `${n} ${kind}${n === 1 ? "" : "s"}`).join(", ");
}

const FIELDS = [
  ["python", /interpreter|--python/],
  ["folder", /\bthe folder\b/],
  ["breakpoints", /condition|breakpoint|\bterm\b/],
  ["spec", /\bspec\b|\bfile\b|\bmodule\b|could not be built|has no /],
] as const;
export type RunField = (typeof FIELDS)[number][0] | "config";

/** The field of the form that a refusal of the server is about; null where it is about all of it. */
export function fieldOfRefusal(message: string): RunField | null {
  return FIELDS.find(([, words]) => words.test(message))?.[0] ?? null;
}
