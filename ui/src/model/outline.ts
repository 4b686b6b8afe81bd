/**
 * What each record of a run is about, in columns, numbered like the log: a hundred thousand records take a few megabytes,
 * and a question about one of them costs an index.
 */

import type { RecordsOutline } from "@/api/schema";
import type { LogRecord } from "@/api/types";

export const KINDS = [
  "run_started",
  "message_queued",
  "message_dropped",
  "message_moved",
  "invocation_started",
  "stream_chunk",
  "invocation_ended",
  "value_read",
  "edited",
  "config_set",
  "noted",
  "span_started",
  "span_ended",
  "state_restored",
  "run_ended",
] as const;
export type Kind = (typeof KINDS)[number];
export const CALLS = ["agent", "step", "task", "model", "tool", "flow"] as const;
export type Call = (typeof CALLS)[number];
export const FLAGS = [
  "failed",
  "edited",
  "injected",
  "by_user",
  "reused",
  "mocked",
  "dropped",
  "opaque",
  "empty",
  "again",
] as const;
export type Flag = (typeof FLAGS)[number];

export const NONE = -1;
const BIT = Object.fromEntries(FLAGS.map((flag, n) => [flag, 1 << n])) as Record<Flag, number>;
const KIND = new Map<string, number>(KINDS.map((kind, n) => [kind, n]));
const CALL = new Map<string, number>(CALLS.map((call, n) => [call, n]));
const FIRST_ROOM = 1024;
/** The hashes of null, {}, [] and "": bodies that say nothing. */
const EMPTY = new Set([
  "941dffce4e4308ceb33e87326003257d",
  "2afb9b83f9314e5d029766197f539792",
  "7ebb3c7c2a87b1a2f8a7ed729ecb040d",
  "dd8a9e496bd8c69c5c77db4c77572fb0",
]);

type Reference = "invocation" | "parent" | "message" | "span";

export class Outline {
  /** How many records there are. */
  length = 0;
  /** Counts every change, so that what was derived from it can tell whether it is still true. */
  version = 0;
  readonly names: string[] = [];
  private readonly numbers = new Map<string, number>();
  private kinds = new Uint8Array(FIRST_ROOM);
  private calls = new Int8Array(FIRST_ROOM);
  private bits = new Uint16Array(FIRST_ROOM);
  private times = new Float64Array(FIRST_ROOM);
  private components = new Int32Array(FIRST_ROOM);
  private recipients = new Int32Array(FIRST_ROOM);
  private types = new Int32Array(FIRST_ROOM);
  private readonly references: Record<Reference, Int32Array> = {
    invocation: new Int32Array(FIRST_ROOM),
    parent: new Int32Array(FIRST_ROOM),
    message: new Int32Array(FIRST_ROOM),
    span: new Int32Array(FIRST_ROOM),
  };
  private lastBody: string | null = null;
  /** Records of edits and drops, in their order: what each is about, and the flag where that had it not before. */
  private readonly hands: { by: number; to: number; flag: Flag | null }[] = [];
  private readonly handsOn = new Map<number, number[]>();

  /** Add records that the server told in columns; those that are there are passed over. */
  append(told: RecordsOutline): void {
    if (told.first > this.length) throw new RangeError(`records ${this.length} to ${told.first - 1} are missing`);
    const { columns } = told;
    const names = told.names.map((name) => this.number(name));
    const kinds = told.kinds.map((kind) => KIND.get(kind) ?? NONE);
    const calls = told.calls.map((call) => CALL.get(call) ?? NONE);
    const bits = told.flags.map((flag) => BIT[flag as Flag] ?? 0);
    const named = (n: number | undefined) => (n === undefined || n < 0 ? NONE : (names[n] ?? NONE));
    this.reserve(told.first + told.count);
    let at = told.origin * 1000;
    let parent = NONE;
    for (let row = 0; row < told.count; row++) {
      at += columns.at[row] ?? 0;
      parent += columns.parent[row] ?? 0;
      const seq = told.first + row;
      if (seq < this.length) continue;
      this.kinds[seq] = kinds[columns.kind[row] ?? 0] ?? NONE;
      const call = columns.call[row] ?? NONE;
      this.calls[seq] = call < 0 ? NONE : (calls[call] ?? NONE);
      this.times[seq] = at;
      this.components[seq] = named(columns.component[row]);
      this.recipients[seq] = named(columns.recipient[row]);
      this.types[seq] = named(columns.type[row]);
      this.bits[seq] = translated(columns.flags[row] ?? 0, bits);
      this.references.parent[seq] = parent;
      for (const name of ["invocation", "message", "span"] as const) {
        const back = columns[name][row] ?? 0;
        this.references[name][seq] = back === 0 ? NONE : seq - back;
      }
      this.length = seq + 1;
      this.note(seq);
    }
    this.lastBody = null;
    this.version++;
  }

  /** Add a record that was pushed.  One that is there is passed over; returns whether it was new. */
  push(record: LogRecord): boolean {
    const { seq } = record;
    if (seq < this.length) return false;
    if (seq > this.length) throw new RangeError(`records ${this.length} to ${seq - 1} are missing`);
    this.reserve(seq + 1);
    this.kinds[seq] = KIND.get(record.kind) ?? NONE;
    this.calls[seq] = "call" in record ? (CALL.get(record.call) ?? NONE) : NONE;
    this.times[seq] = record.at * 1000;
    this.components[seq] = this.optional(record.component);
    this.recipients[seq] = this.optional("recipient" in record ? record.recipient : undefined);
    this.types[seq] = this.optional(typeOf(record));
    this.bits[seq] = flagsOf(record) | (record.hash && record.hash === this.lastBody ? BIT.again : 0);
    this.lastBody = record.hash ?? null;
    this.references.invocation[seq] = record.invocation ?? NONE;
    this.references.parent[seq] = record.parent ?? NONE;
    this.references.message[seq] = record.message ?? NONE;
    this.references.span[seq] = ("span" in record ? record.span : null) ?? NONE;
    this.length = seq + 1;
    this.note(seq);
    this.version++;
    return true;
  }

  /** Forget the records over `last`: a replay took them back. */
  truncate(last: number): void {
    if (this.length <= last + 1) return;
    this.length = last + 1;
    this.lastBody = null;
    for (let one = this.hands.at(-1); one !== undefined && one.by > last; one = this.hands.at(-1)) {
      if (one.flag !== null) this.bits[one.to] = (this.bits[one.to] ?? 0) & ~BIT[one.flag];
      this.handsOn.get(one.to)?.pop();
      this.hands.pop();
    }
    this.version++;
  }

  kind(seq: number): Kind {
    return KINDS[this.kinds[seq] ?? 0] ?? "noted";
  }

  call(seq: number): Call | null {
    const call = this.calls[seq] ?? NONE;
    return call < 0 ? null : (CALLS[call] ?? null);
  }

  /** Milliseconds since the epoch. */
  at(seq: number): number {
    return this.times[seq] ?? 0;
  }

  component(seq: number): string {
    return this.name(this.components[seq]);
  }

  /** The number of the component's name in `names`, or `NONE`. */
  componentNumber(seq: number): number {
    return this.components[seq] ?? NONE;
  }

  recipient(seq: number): string {
    return this.name(this.recipients[seq]);
  }

  type(seq: number): string {
    return this.name(this.types[seq]);
  }

  typeNumber(seq: number): number {
    return this.types[seq] ?? NONE;
  }

  has(seq: number, flag: Flag): boolean {
    return ((this.bits[seq] ?? 0) & BIT[flag]) !== 0;
  }

  /** The number of the record that this one names, or `NONE`. */
  reference(seq: number, name: Reference): number {
    return this.references[name][seq] ?? NONE;
  }

  /** The number of a name, or `NONE` where no record has it. */
  find(name: string): number {
    return this.numbers.get(name) ?? NONE;
  }

  /** The later records of what was done to this one: to a message in the queue, or to a result before it went on. */
  doneTo(seq: number): readonly number[] {
    return this.handsOn.get(seq) ?? [];
  }

  /** What a record did to another is told of that one too. */
  private note(by: number): void {
    const to = subjectOf(this, by);
    if (to === NONE) return;
    const flag = this.kind(by) === "message_dropped" ? "dropped" : "edited";
    this.hands.push({ by, to, flag: this.has(to, flag) ? null : flag });
    this.bits[to] = (this.bits[to] ?? 0) | BIT[flag];
    const known = this.handsOn.get(to);
    if (known) known.push(by);
    else this.handsOn.set(to, [by]);
  }

  private name(number: number | undefined): string {
    return number === undefined || number < 0 ? "" : (this.names[number] ?? "");
  }

  private optional(name: string | null | undefined): number {
    return name ? this.number(name) : NONE;
  }

  private number(name: string): number {
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.names.length;
      this.names.push(name);
      this.numbers.set(name, number);
    }
    return number;
  }

  private reserve(length: number): void {
    if (length <= this.kinds.length) return;
    const room = Math.max(length, this.kinds.length * 2);
    this.kinds = grown(this.kinds, new Uint8Array(room));
    this.calls = grown(this.calls, new Int8Array(room));
    this.bits = grown(this.bits, new Uint16Array(room));
    this.times = grown(this.times, new Float64Array(room));
    this.components = grown(this.components, new Int32Array(room));
    this.recipients = grown(this.recipients, new Int32Array(room));
    this.types = grown(this.types, new Int32Array(room));
    for (const name of ["invocation", "parent", "message", "span"] as const)
      this.references[name] = grown(this.references[name], new Int32Array(room));
  }
}

/** Whether a message is the one before it, to another recipient. */
export function isCopy(outline: Outline, seq: number): boolean {
  return (
    outline.has(seq, "again") &&
    outline.kind(seq) === "message_queued" &&
    outline.kind(seq - 1) === "message_queued" &&
    outline.componentNumber(seq) === outline.componentNumber(seq - 1)
  );
}

/** Whether a message is the one before it, to another recipient, and nothing was done to either. */
export function isSameLetter(outline: Outline, seq: number): boolean {
  return (
    isCopy(outline, seq) &&
    outline.doneTo(seq).length === 0 &&
    outline.doneTo(seq - 1).length === 0 &&
    outline.typeNumber(seq) === outline.typeNumber(seq - 1) &&
    outline.reference(seq, "parent") === outline.reference(seq - 1, "parent")
  );
}

/** The message or the end of an invocation that a record of an edit or of a dropped message is about, or `NONE`. */
export function subjectOf(outline: Outline, seq: number): number {
  const kind = outline.kind(seq);
  if (kind !== "edited" && kind !== "message_dropped") return NONE;
  const message = outline.reference(seq, "message");
  if (message !== NONE) return outline.kind(message) === "message_queued" ? message : NONE;
  const invocation = outline.reference(seq, "invocation");
  if (invocation === NONE) return NONE;
  for (let end = seq - 1; end > invocation; end--)
    if (outline.kind(end) === "invocation_ended" && outline.reference(end, "invocation") === invocation) return end;
  return NONE;
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

function translated(told: number, bits: number[]): number {
  let own = 0;
  for (let n = 0; told >> n > 0; n++) if ((told >> n) & 1) own |= bits[n] ?? 0;
  return own;
}

function typeOf(record: LogRecord): string | undefined {
  switch (record.kind) {
    case "message_queued":
    case "invocation_started":
    case "noted":
      return record.type;
    case "edited":
      return record.op;
    case "config_set":
      return record.key;
    case "span_started":
      return record.name;
    case "value_read":
      return record.source;
    case "run_ended":
      return record.status ?? "completed";
    case "state_restored":
      return record.state;
    default:
      return undefined;
  }
}

function flagsOf(record: LogRecord): number {
  let bits = record.hash && !EMPTY.has(record.hash) ? 0 : BIT.empty;
  const told = record as { [flag in "failed" | "edited" | "injected" | "opaque"]?: boolean } & {
    by?: string;
    how?: string;
    status?: string;
  };
  for (const flag of ["failed", "edited", "injected", "opaque"] as const) if (told[flag]) bits |= BIT[flag];
  if (told.by === "user") bits |= BIT.by_user;
  if (told.status === "failed" || told.status === "diverged") bits |= BIT.failed;
  if (told.how === "reused" || told.how === "mocked" || told.how === "dropped") bits |= BIT[told.how];
  return bits;
}
