/** What is written into a shared file: see `outtake.server.sharing`. */

import type { Body, Difference, Glance, RecordsOutline, RunInfo } from "@/api/schema";
import { Outline } from "@/model/outline";
import { type Words, wordsIn } from "@/model/transcript";

export type SharedRun = Pick<
  RunInfo,
  | "run"
  | "name"
  | "changed"
  | "spec"
  | "status"
  | "outcome"
  | "expected"
  | "created"
  | "timed"
  | "imported"
  | "records"
  | "parent"
  | "cut"
>;

export interface SharedTexts {
  /** Number, hash of the body, whether it failed. */
  records: [number, string, boolean][];
  glances: { [hash: string]: Glance };
  bodies: { [hash: string]: Body };
  /** How many texts are not whole here. */
  cut: number;
}

export interface Shared {
  run: SharedRun;
  outline: RecordsOutline;
  texts: SharedTexts;
  parent: { run: SharedRun; outline: RecordsOutline; texts: SharedTexts } | null;
  difference: (Pick<Difference, "shared" | "same" | "changes"> & { more: number }) | null;
}

export function outlineOf(told: RecordsOutline): Outline {
  const outline = new Outline();
  outline.append(told);
  return outline;
}

/** What each record says that the file has a text of. */
export class Texts {
  private readonly byRecord: ReadonlyMap<number, [string, boolean]>;

  constructor(private readonly told: SharedTexts) {
    this.byRecord = new Map(told.records.map(([seq, hash, failed]) => [seq, [hash, failed]]));
  }

  words(seq: number): Words | undefined {
    const [hash, failed] = this.byRecord.get(seq) ?? [];
    const seen = hash === undefined ? undefined : this.told.glances[hash];
    if (hash === undefined || seen === undefined || seen.form === "empty") return undefined;
    return wordsIn(seen, failed === true, this.told.bodies[hash]);
  }

  glance(seq: number): string {
    const [hash] = this.byRecord.get(seq) ?? [];
    return hash === undefined ? "" : (this.told.glances[hash]?.text ?? "");
  }
}
