/** Doing one of the verbs of `@/model/verbs` to a record, from a button, a menu, the palette or a key. */

import { useNavigate } from "@tanstack/react-router";

import { firstChange, RECORD_VERBS, type RecordVerb, retry, TRIES, verbsOf } from "@/model/verbs";
import { useHotkeys } from "@mantine/hooks";
import { fork } from "@/state/commands";
import { beginEdit } from "@/state/editing";
import { addTries } from "@/state/tries";
import { useWorkspace } from "@/views/workspace/context";
import { useShow } from "@/views/workspace/docking";

export function useRecordVerb(): (verb: RecordVerb["id"], seq: number) => Promise<void> {
  const { id, view, select } = useWorkspace();
  const navigate = useNavigate();
  const show = useShow();
  const { outline } = view;
  const open = (run: string) => void navigate({ to: "/runs/$run", params: { run }, search: {} });
  return async (verb, seq) => {
    switch (verb) {
      case "change": {
        const change = firstChange(outline, seq);
        if (change === undefined) return;
        select(seq);
        show("inspector");
        beginEdit(id, seq, change.op);
        return;
      }
      case "back": {
        const made = await fork(id, { at: seq, pause: true });
        if (made) open(made.run);
        return;
      }
      case "again": {
        const asked = retry(outline, seq);
        const made = asked === null ? undefined : await fork(id, asked);
        if (made) open(made.run);
        return;
      }
      case "times": {
        const asked = retry(outline, seq);
        if (asked === null) return;
        const runs: string[] = [];
        for (let n = 1; n <= TRIES; n++) {
          const made = await fork(id, { ...asked, headless: true, name: `try ${n} of #${asked.at}` });
          if (!made) break;
          runs.push(made.run);
        }
        if (runs.length > 0) addTries(id, { seq, runs });
        return;
      }
    }
  };
}

/** The keys of the verbs, for the record that is selected. */
export function useRecordKeys(): void {
  const { view, place } = useWorkspace();
  const doVerb = useRecordVerb();
  const seq = place.at;
  const offered = seq === undefined || view.info?.imported === true ? [] : verbsOf(view.outline, seq);
  useHotkeys(
    Object.values(RECORD_VERBS).map(({ id, key }) => [
      key,
      () => {
        if (seq !== undefined && offered.some((verb) => verb.id === id)) void doVerb(id, seq);
      },
    ]),
  );
}
