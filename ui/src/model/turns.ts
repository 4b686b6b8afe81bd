/**
 * A run as turns: one for each invocation of an agent, step, task or nested flow, and of a model or tool that none of them
 * encloses, with everything that happened inside; and slim ones for messages that nobody takes, for what a person did, and
 * for the beginning and the end.
 *
 * Follows an outline: each record is looked at once.  What is shown of the turns is worked out from them alone.
 */

import { type Aspect, ASPECTS, aspectOf } from "./aspects";
import { isSameLetter, NONE, type Outline, subjectOf } from "./outline";
import { isControl, type RowChoice, rowTest } from "./row-choice";

/** What a turn shows of its inside, in the order of the log. */
export interface Part {
  /** `said` is a message, `note` a thought or a log line, `turn` a turn that is told below. */
  kind: "model" | "tool" | "said" | "note" | "turn";
  seq: number;
  /** The record of its end; of a message, the last of its copies. */
  end: number;
}

export type TurnKind = "invocation" | "message" | "note" | "edit" | "begin" | "end";

/** Notes that only repeat what the console shows, or that the importer leaves. */
const QUIET_NOTES = new Set(["stdout", "stderr", "imported"]);
const REMARKABLE = ["failed", "edited", "mocked", "dropped", "by_user"] as const;
const HEADED = new Set(["agent", "step", "task", "flow"]);
const BITS = new Map<Aspect, number>(ASPECTS.map((aspect, n) => [aspect, 1 << n]));

interface Heard {
  message: number;
  count: number;
}

export class Turns {
  /** How many records it has looked at. */
  length = 0;
  /** Records with which something went wrong first: what fails because of it is not another error. */
  readonly errors: number[] = [];
  /** Records by which something was changed: edits, settings, messages that were added, results that were given. */
  readonly changes: number[] = [];
  /** How many turns there are. */
  count = 0;
  /** Of each turn: the record that it begins with. */
  readonly starts: number[] = [];
  /** The record that it ended with, or `NONE`. */
  readonly ends: number[] = [];
  readonly kinds: TurnKind[] = [];
  /** The turn around it, where that is one that is told above it, or `NONE`. */
  readonly parents: number[] = [];
  readonly depths: number[] = [];
  /** The record that says what it was asked, or `NONE`; how many other messages it heard before. */
  readonly asked: number[] = [];
  readonly heard: number[] = [];
  /** Whom it hands over to: its last message without content. */
  readonly handed: number[] = [];
  readonly changed: number[] = [];
  private readonly parts: (Part[] | undefined)[] = [];
  /** Whether something happened in it that one reads. */
  private readonly busy: boolean[] = [];
  /** Of a message, the turn that takes it, and tells it; or `NONE`. */
  readonly taken: number[] = [];
  private readonly aspects: number[] = [];
  /** The turn of each record, or `NONE`. */
  private of: number[] = [];
  /** The end of each invocation that has one. */
  private readonly endOf = new Map<number, number>();
  private readonly errorsIn = new Map<number, number>();
  private readonly origins = new Set<number>();
  private readonly partOf = new Map<number, Part>();
  private readonly unheard = new Map<number, Heard>();
  private busyFlows = 0;
  private outline: Outline | null = null;

  /** Look at the records that have come; of an outline that was cut back, at all of them. */
  update(outline: Outline): void {
    if (this.outline !== outline || outline.length < this.length) this.reset();
    this.outline = outline;
    for (let seq = this.length; seq < outline.length; seq++) this.take(outline, seq);
    this.length = outline.length;
  }

  /** The turn that tells of a record, or `NONE`. */
  turnOf(seq: number): number {
    return this.of[seq] ?? NONE;
  }

  /** What happened in a turn, in order. */
  partsOf(turn: number): readonly Part[] {
    return this.parts[turn] ?? NOTHING;
  }

  /** The record that an invocation ended with, or `NONE`. */
  end(start: number): number {
    return this.endOf.get(start) ?? NONE;
  }

  /** How many errors there are in an invocation, its own one included. */
  errorsOf(start: number): number {
    return this.errorsIn.get(start) ?? 0;
  }

  /** Whether a turn only keeps the framework going, or is told elsewhere. */
  isPlumbing(turn: number): boolean {
    const { outline } = this;
    const start = this.starts[turn] ?? 0;
    if (outline === null) return true;
    switch (this.kinds[turn]) {
      case "message":
        return this.taken[turn] !== NONE || isControl(outline, start);
      case "note":
        return QUIET_NOTES.has(outline.type(start)) && !outline.has(start, "failed");
      case "invocation":
        return this.isQuiet(outline, turn, start);
      default:
        return false;
    }
  }

  private isQuiet(outline: Outline, turn: number, start: number): boolean {
    const end = this.ends[turn] ?? NONE;
    const failed = end !== NONE && outline.has(end, "failed");
    if (isOutermost(outline, start)) return !this.origins.has(end) && (this.busyFlows < 2 || !this.busy[turn]);
    if (this.busy[turn] || failed) return false;
    if (outline.reference(start, "message") === NONE || outline.call(start) !== "agent") return false;
    if (outline.has(start, "edited")) return false;
    return end === NONE || (outline.has(end, "empty") && !REMARKABLE.some((flag) => outline.has(end, flag)));
  }

  /** Whether a turn has something of these aspects. */
  hasAspect(turn: number, wanted: number): boolean {
    return ((this.aspects[turn] ?? 0) & wanted) !== 0;
  }

  private reset(): void {
    for (const name of ["starts", "ends", "kinds", "parents", "depths", "asked", "heard", "handed"] as const)
      this[name].length = 0;
    for (const name of ["changed", "parts", "busy", "taken", "aspects", "errors", "changes"] as const)
      this[name].length = 0;
    for (const name of ["endOf", "errorsIn", "origins", "partOf", "unheard"] as const) this[name].clear();
    this.of = [];
    this.length = this.count = this.busyFlows = 0;
  }

  private take(outline: Outline, seq: number): void {
    this.of[seq] = NONE;
    const kind = outline.kind(seq);
    const around = this.around(outline, seq);
    switch (kind) {
      case "run_started":
        this.begin(outline, seq, "begin", NONE);
        break;
      case "run_ended":
        this.begin(outline, seq, "end", NONE);
        if (outline.has(seq, "failed") && this.errors.length === 0) this.errors.push(seq);
        break;
      case "invocation_started":
        this.takeStart(outline, seq, around);
        break;
      case "invocation_ended":
        this.takeEnd(outline, seq);
        break;
      case "message_queued":
        this.takeMessage(outline, seq, around);
        break;
      case "edited":
      case "config_set":
      case "message_dropped":
      case "message_moved":
        this.begin(outline, seq, "edit", around);
        this.change(outline, seq);
        break;
      case "noted":
        this.takeNote(outline, seq, around);
        break;
      default:
        this.of[seq] = around;
        if (outline.has(seq, "failed")) {
          this.fail(outline, seq, this.innermost(outline, seq));
          if (around === NONE) this.begin(outline, seq, "note", NONE);
          else this.add(outline, around, { kind: "note", seq, end: NONE });
        }
    }
  }

  /** The turn that a record lies in. */
  private around(outline: Outline, seq: number): number {
    const parent = this.innermost(outline, seq);
    return parent === NONE ? NONE : (this.of[parent] ?? NONE);
  }

  /** The invocation that a record lies in. */
  private innermost(outline: Outline, seq: number): number {
    const parent = outline.reference(seq, "parent");
    if (parent !== NONE && parent < seq) return parent;
    const invocation = outline.reference(seq, "invocation");
    return invocation !== NONE && invocation < seq ? invocation : NONE;
  }

  private begin(outline: Outline, seq: number, kind: TurnKind, around: number): number {
    const turn = this.count++;
    const start = around === NONE ? NONE : (this.starts[around] ?? NONE);
    const parent = start !== NONE && isOutermost(outline, start) ? NONE : around;
    this.starts.push(seq);
    this.ends.push(NONE);
    this.kinds.push(kind);
    this.parents.push(parent);
    this.depths.push(parent === NONE ? 0 : (this.depths[parent] ?? 0) + 1);
    this.asked.push(NONE);
    this.heard.push(0);
    this.handed.push(NONE);
    this.changed.push(0);
    this.parts.push(undefined);
    this.busy.push(false);
    this.taken.push(NONE);
    this.aspects.push(BITS.get(aspectOf(outline, seq)) ?? 0);
    this.of[seq] = turn;
    return turn;
  }

  private takeStart(outline: Outline, seq: number, around: number): void {
    const call = outline.call(seq);
    const top = around === NONE ? NONE : (this.starts[around] ?? NONE);
    if (!HEADED.has(call ?? "") && top !== NONE && outline.call(top) !== "flow") {
      this.add(outline, around, { kind: call === "model" ? "model" : "tool", seq, end: NONE });
      this.of[seq] = around;
      return;
    }
    const turn = this.begin(outline, seq, "invocation", around);
    if (around !== NONE) this.add(outline, around, { kind: "turn", seq, end: NONE });
    if (outline.reference(seq, "message") === NONE) this.stir(outline, turn);
  }

  private takeEnd(outline: Outline, seq: number): void {
    const start = outline.reference(seq, "invocation");
    if (start === NONE || start >= seq) return;
    const turn = this.of[start] ?? NONE;
    this.of[seq] = turn;
    this.endOf.set(start, seq);
    const part = this.partOf.get(start);
    if (part) part.end = seq;
    if (outline.has(seq, "failed") && !this.errorsIn.has(start)) this.fail(outline, seq, start);
    if (outline.has(seq, "mocked")) this.change(outline, seq);
    if (turn === NONE || this.starts[turn] !== start) return;
    this.ends[turn] = seq;
    if (this.busy[turn] || !this.isQuiet(outline, turn, start)) this.stir(outline, turn);
    else this.hear(outline, start);
  }

  /** A message came to somebody who only took note of it: it is what the next turn is about. */
  private hear(outline: Outline, start: number): void {
    const message = outline.reference(start, "message");
    if (message === NONE || outline.has(message, "empty")) return;
    const before = this.unheard.get(outline.componentNumber(start));
    this.unheard.set(outline.componentNumber(start), { message, count: (before?.count ?? 0) + 1 });
  }

  private takeMessage(outline: Outline, seq: number, around: number): void {
    const hand = outline.has(seq, "injected") || outline.has(seq, "by_user");
    const top = around === NONE ? NONE : (this.starts[around] ?? NONE);
    const inside = top !== NONE && outline.call(top) !== "flow" && !hand;
    if (!inside) {
      const before = this.of[seq - 1] ?? NONE;
      if (isSameLetter(outline, seq) && this.kinds[before] === "message") this.of[seq] = before;
      else this.begin(outline, seq, "message", around);
      if (outline.has(seq, "injected")) this.change(outline, seq);
      return;
    }
    this.of[seq] = around;
    if (isControl(outline, seq)) {
      if (outline.has(seq, "empty") && !outline.recipient(seq).endsWith("/output")) this.handed[around] = seq;
      return;
    }
    const last = this.parts[around]?.at(-1);
    if (last?.kind === "said" && last.end === seq - 1 && isSameLetter(outline, seq)) last.end = seq;
    else this.add(outline, around, { kind: "said", seq, end: seq });
  }

  private takeNote(outline: Outline, seq: number, around: number): void {
    const top = around === NONE ? NONE : (this.starts[around] ?? NONE);
    if (top === NONE || outline.call(top) === "flow") {
      this.begin(outline, seq, "note", around);
      return;
    }
    this.of[seq] = around;
    if (!QUIET_NOTES.has(outline.type(seq))) this.add(outline, around, { kind: "note", seq, end: NONE });
  }

  private add(outline: Outline, turn: number, part: Part): void {
    const known = this.parts[turn];
    if (known === undefined) this.parts[turn] = [part];
    else known.push(part);
    if (part.kind === "model" || part.kind === "tool" || part.kind === "turn") this.partOf.set(part.seq, part);
    this.aspects[turn] = (this.aspects[turn] ?? 0) | (BITS.get(aspectOf(outline, part.seq)) ?? 0);
    this.stir(outline, turn);
  }

  /** Something happens in a turn: what it was asked is known, and no longer new to the next one. */
  private stir(outline: Outline, turn: number): void {
    if (this.busy[turn]) return;
    this.busy[turn] = true;
    const start = this.starts[turn] ?? 0;
    if (outline.call(start) === "flow") {
      if ((this.parts[turn]?.length ?? 0) === 0) this.busy[turn] = false;
      else if (isOutermost(outline, start)) this.busyFlows++;
    }
    const message = outline.reference(start, "message");
    if (message === NONE) {
      this.asked[turn] = start;
      return;
    }
    const sent = this.of[message] ?? NONE;
    const known = sent !== NONE && this.kinds[sent] === "message" && (this.changed[sent] ?? 0) === 0;
    if (known) this.taken[sent] = turn;
    const heard = this.unheard.get(outline.componentNumber(start));
    this.unheard.delete(outline.componentNumber(start));
    const empty = outline.has(message, "empty");
    this.asked[turn] = empty ? (heard?.message ?? NONE) : message;
    this.heard[turn] = (heard?.count ?? 0) - (empty && heard ? 1 : 0);
  }

  private fail(outline: Outline, seq: number, inside: number): void {
    this.errors.push(seq);
    this.origins.add(seq);
    for (let at = inside; at !== NONE; at = outer(outline, at)) this.errorsIn.set(at, (this.errorsIn.get(at) ?? 0) + 1);
  }

  private change(outline: Outline, seq: number): void {
    this.changes.push(seq);
    let turn = this.of[seq] ?? NONE;
    for (; turn !== NONE; turn = this.parents[turn] ?? NONE) this.changed[turn] = (this.changed[turn] ?? 0) + 1;
    const to = subjectOf(outline, seq);
    const subject = to === NONE ? NONE : (this.of[to] ?? NONE);
    if (subject !== NONE && subject !== this.of[seq]) this.changed[subject] = (this.changed[subject] ?? 0) + 1;
  }
}

/** The invocation around an invocation. */
function outer(outline: Outline, start: number): number {
  const parent = outline.reference(start, "parent");
  return parent !== NONE && parent < start ? parent : NONE;
}

/** Whether an invocation is a flow that nothing is around: the run itself, or one of several of a script. */
function isOutermost(outline: Outline, start: number): boolean {
  return outline.call(start) === "flow" && outline.reference(start, "parent") === NONE;
}

const NOTHING: readonly Part[] = [];

/** The turns that are shown, each followed by those inside it. */
export interface Story {
  length: number;
  /** How many records it was made of. */
  records: number;
  /** The turn of each place. */
  turns: Int32Array;
  /** The place of each turn, or `NONE`. */
  places: Int32Array;
  /** How many turns are left out as plumbing. */
  plumbing: number;
}

/** The story that a choice gives. */
export function storyOf(turns: Turns, outline: Outline, choice: RowChoice): Story {
  const { count } = turns;
  const shown = new Int32Array(count);
  const places = new Int32Array(count).fill(NONE);
  const fits = shownTest(turns, outline, choice);
  // The turns as a tree: what is inside follows what it is inside of, in the order of the log.
  const first = new Int32Array(count).fill(NONE);
  const last = new Int32Array(count).fill(NONE);
  const next = new Int32Array(count).fill(NONE);
  for (let turn = 0; turn < count; turn++) {
    const parent = turns.parents[turn] ?? NONE;
    if (parent === NONE) continue;
    const before = last[parent] ?? NONE;
    if (before === NONE) first[parent] = turn;
    else next[before] = turn;
    last[parent] = turn;
  }
  let length = 0;
  let plumbing = 0;
  const todo: number[] = [];
  for (let root = 0; root < count; root++) {
    if ((turns.parents[root] ?? NONE) !== NONE) continue;
    todo.push(root);
    for (let turn = todo.pop(); turn !== undefined; turn = todo.pop()) {
      const after = next[turn] ?? NONE;
      if (after !== NONE) todo.push(after);
      const inside = first[turn] ?? NONE;
      const start = turns.starts[turn] ?? 0;
      if (inside !== NONE && !choice.folded.has(start)) todo.push(inside);
      const quiet = turns.isPlumbing(turn);
      if (quiet) plumbing++;
      if (quiet && !choice.plumbing && !choice.held.has(start)) continue;
      if (!fits(turn)) continue;
      places[turn] = length;
      shown[length++] = turn;
    }
  }
  return { length, records: outline.length, turns: shown.subarray(0, length), places, plumbing };
}

function shownTest(turns: Turns, outline: Outline, choice: RowChoice): (turn: number) => boolean {
  let wanted = 0;
  for (const aspect of choice.aspects) wanted |= BITS.get(aspect) ?? 0;
  const found = choice.found === null ? null : new Set([...choice.found].map((seq) => cardOf(turns, outline, seq)));
  const about = choice.components === null ? null : rowTest(outline, choice.components);
  return (turn) => {
    if (!turns.hasAspect(turn, wanted)) return false;
    if (found !== null && !found.has(turn)) return false;
    const start = turns.starts[turn] ?? 0;
    if (choice.errors && turns.errorsOf(start) === 0 && !failedAt(turns, outline, turn)) return false;
    if (choice.changes && (turns.changed[turn] ?? 0) === 0) return false;
    return about === null || about(start) || turns.partsOf(turn).some((part) => about(part.seq));
  };
}

function failedAt(turns: Turns, outline: Outline, turn: number): boolean {
  const end = turns.ends[turn] ?? NONE;
  return outline.has(turns.starts[turn] ?? 0, "failed") || (end !== NONE && outline.has(end, "failed"));
}

/** The turn whose card tells of a record: of a message, that which takes it; of a delivery in which nothing happened, that of who sent it. */
export function cardOf(turns: Turns, outline: Outline, seq: number): number {
  const turn = turns.turnOf(seq);
  if (turn === NONE || !turns.isPlumbing(turn)) return turn;
  if (turns.kinds[turn] === "message") return turns.taken[turn] === NONE ? turn : (turns.taken[turn] ?? turn);
  const message = outline.reference(turns.starts[turn] ?? 0, "message");
  const sent = message === NONE ? NONE : turns.turnOf(message);
  return sent === NONE ? turn : sent;
}

/** The place that tells of a record, or the last one before it. */
export function placeOf(story: Story, turns: Turns, outline: Outline, seq: number): number {
  if (story.length === 0) return NONE;
  let turn = cardOf(turns, outline, seq);
  for (; turn !== NONE; turn = turns.parents[turn] ?? NONE) {
    const place = story.places[turn] ?? NONE;
    if (place !== NONE) return place;
  }
  // Nothing around it is shown: the last one that begins before it.
  let best = 0;
  for (let at = turns.turnOf(seq) === NONE ? turns.count - 1 : turns.turnOf(seq); at >= 0; at--) {
    const place = story.places[at] ?? NONE;
    if (place !== NONE && (turns.starts[at] ?? 0) <= seq) {
      best = place;
      break;
    }
  }
  return best;
}

/** Whether a card only heard what a record says: what came in, which is told by who said it. */
export function isHeard(turns: Turns, turn: number, seq: number): boolean {
  const own = turns.turnOf(seq);
  if (own !== turn) return own !== NONE && turns.kinds[own] === "message";
  return seq === turns.starts[turn] && turns.asked[turn] !== seq && turns.kinds[turn] === "invocation";
}

/**
 * Of what was found, the records that a story shows: what came in is told by who said it, and what went back by the message
 * that said it, unless they alone say it.
 */
export function hitsOf(turns: Turns, outline: Outline, found: Iterable<number>): number[] {
  const byTurn = new Map<number, number[]>();
  for (const seq of found) {
    const turn = cardOf(turns, outline, seq);
    const known = byTurn.get(turn);
    if (known) known.push(seq);
    else byTurn.set(turn, [seq]);
  }
  const hits: number[] = [];
  for (const [turn, seqs] of byTurn) {
    const inside = turns
      .partsOf(turn)
      .some(({ kind, seq, end }) => kind === "said" && seqs.some((one) => one >= seq && one <= end));
    const told = seqs.filter((seq) => turns.turnOf(seq) === turn && (seq !== turns.ends[turn] || !inside));
    const own = told.filter((seq) => !isHeard(turns, turn, seq));
    hits.push(...(own.length > 0 ? own : seqs.slice(0, 1)));
  }
  return hits.toSorted((one, other) => one - other);
}

/** The record that answers the run: what its last turn said, or its end. */
export function answerOf(turns: Turns): number {
  for (let turn = turns.count - 1; turn >= 0; turn--)
    if (turns.kinds[turn] === "end") return turns.starts[turn] ?? NONE;
  return turns.count === 0 ? NONE : (turns.starts[turns.count - 1] ?? NONE);
}

/** The first of sorted records over `seq`, or the last one under it with `back`; beyond the last comes the first again. */
export function nextOf(seqs: readonly number[], seq: number, back: boolean): number {
  const found = back ? seqs.findLast((one) => one < seq) : seqs.find((one) => one > seq);
  return found ?? (back ? seqs.at(-1) : seqs[0]) ?? NONE;
}
