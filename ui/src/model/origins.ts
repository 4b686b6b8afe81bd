/** Where something came from, in words. */

import type { ChainLink, ChainSource, Hand } from "@/api/schema";

/** How a record came from an earlier one. */
export const RELATIONS: { readonly [relation in ChainSource["relation"]]: string } = {
  message: "brought by",
  cause: "caused by",
  state: "read",
  value: "has this from",
  input: "was given",
  inside: "has inside",
  called: "called by",
  edit: "edited",
  result: "result of",
};

/** What a record did with a text. */
export const HAND_ROLES: { readonly [role in Hand["role"]]: string } = {
  input: "got it:",
  output: "gave it:",
  error: "failed with it:",
  message: "said it:",
  note: "noted it:",
  edit: "was edited to it:",
  setting: "was set to it:",
  value: "read it:",
};

/** The sources of a record, and, where it has only its own input, those of the input. */
export function nearestOf(chain: readonly ChainLink[], seq: number): ChainSource[] {
  const of = (at: number) => chain.find((link) => link.seq === at)?.sources ?? [];
  const own = of(seq);
  const [only] = own;
  return own.length === 1 && only?.relation === "input" ? [only, ...of(only.seq)] : own;
}
