/** What a transcript tells, fetched for all of a run at once, in batches. */

import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { Glance } from "@/api/schema";
import type { LogRecord } from "@/api/types";
import { type Words, wordsAtAGlance, wordsIn } from "@/model/transcript";

/** Records of one request, and bodies that are asked for at the same time. */
const BATCH = 100;
const AT_ONCE = 6;

export interface TranscriptWords {
  words: ReadonlyMap<number, Words>;
  glances: ReadonlyMap<number, Glance>;
}

/** The words of these records; `key` changes when there are others. */
export function useTranscriptWords(run: string, key: string, whole: readonly number[], glanced: readonly number[]) {
  return useQuery({
    queryKey: ["transcript", run, key],
    queryFn: () => fetchWords(run, whole, glanced),
    enabled: whole.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function fetchWords(run: string, whole: readonly number[], glanced: readonly number[]): Promise<TranscriptWords> {
  const records: LogRecord[] = [];
  const byHash: { [hash: string]: Glance } = {};
  const all = [...whole, ...glanced];
  for (let at = 0; at < all.length; at += BATCH) {
    const query = { seqs: all.slice(at, at + BATCH).join(",") };
    const told = await got(api.GET("/api/runs/{run}/pick", { params: { path: { run }, query } }));
    records.push(...told.records);
    Object.assign(byHash, told.glances);
  }
  const glances = new Map<number, Glance>();
  for (const { seq, hash } of records) {
    const glance = hash ? byHash[hash] : undefined;
    if (glance !== undefined) glances.set(seq, glance);
  }
  const wanted = new Set(whole);
  const words = new Map<number, Words>();
  const cut = records.filter(({ seq, hash }) => wanted.has(seq) && Boolean(hash));
  for (let at = 0; at < cut.length; at += AT_ONCE)
    await Promise.all(
      cut.slice(at, at + AT_ONCE).map(async (record) => {
        const glance = glances.get(record.seq);
        if (glance?.form !== "empty") words.set(record.seq, await wordsOf(record, glance));
      }),
    );
  return { words, glances };
}

/** What a record says: from the glance where that is all of it. */
async function wordsOf(record: LogRecord, glance: Glance | undefined): Promise<Words> {
  const failed = "failed" in record && record.failed === true;
  if (glance === undefined) return { thought: "", said: "", failed };
  const seen = wordsAtAGlance(glance, failed);
  if (seen !== null || failed) return seen ?? wordsIn(glance, failed, undefined);
  const body = await got(api.GET("/api/bodies/{hash}", { params: { path: { hash: record.hash ?? "" } } }));
  return wordsIn(glance, failed, body);
}
