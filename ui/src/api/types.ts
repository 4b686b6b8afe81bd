/** Names for what the API builds out of other types. */

import type { operations, RecordPage } from "./schema";

/** One entry of a run's log; `kind` tells which. */
export type LogRecord = RecordPage["records"][number];
type Answered<Name extends "list_run_events" | "list_events"> =
  operations[Name]["responses"][200]["content"]["application/json"][number];
/** What is pushed to who follows a run. */
export type RunEvent = Answered<"list_run_events">;
/** What is pushed to who follows the list of runs. */
export type ListEvent = Answered<"list_events">;
