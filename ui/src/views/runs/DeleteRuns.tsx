import { Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";

import type { RunSummary } from "@/api/schema";
import { count } from "@/kit/words";
import { deletable, withForks } from "@/model/runs";
import { deleteRun } from "@/state/commands";

export interface DeleteRunsProps {
  ids: readonly string[];
  runs: readonly RunSummary[];
  close: () => void;
  deleted: (runs: string[]) => void;
}

/** Ask before runs are deleted, and say what goes with them and what has to stay. */
export function DeleteRuns({ ids, runs, close, deleted }: DeleteRunsProps) {
  const [busy, setBusy] = useState(false);
  const [all, setAll] = useState(ids);
  const { order, kept } = deletable(runs, new Set(all));
  const records = runs.filter(({ run }) => order.includes(run)).reduce((sum, run) => sum + run.records, 0);
  const what = order.length === 1 ? `run ${order[0]}` : count(order.length, "run");
  const live = new Set(runs.filter((run) => run.live).map(({ run }) => run));
  const family = withForks(runs, all);
  const forks = family.size - all.length;
  const remove = async () => {
    setBusy(true);
    const gone: string[] = [];
    for (const run of order) if (await deleteRun(run)) gone.push(run);
    deleted(gone);
    close();
  };
  return (
    <Modal opened onClose={close} title={order.length === 0 ? "Nothing can be deleted" : `Delete ${what}?`}>
      <Stack gap="sm">
        {order.length > 0 && (
          <div>
            {order.length > 1 && <b>{order.join(", ")}. </b>}
            {count(records, "record")} {records === 1 ? "goes" : "go"} with it, and what people and judges said about
            them. What other runs share with it stays. This cannot be undone; an export brings it back.
          </div>
        )}
        {kept.length > 0 && (
          <div>
            <b>
              {kept.join(", ")} {kept.length === 1 ? "stays" : "stay"}.
            </b>{" "}
            {kept.some((run) => !live.has(run)) &&
              "A run shares its records with its forks, so it can only be deleted with them. "}
            {kept.some((run) => live.has(run)) && "A run that goes on is stopped first."}
          </div>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {order.length === 0 ? "Close" : "Keep"}
          </Button>
          {forks > 0 && (
            <Button variant="default" onClick={() => setAll([...family])}>
              With {forks === 1 ? "its fork" : `the ${forks} forks`}
            </Button>
          )}
          {order.length > 0 && (
            <Button color="red" loading={busy} onClick={() => void remove()} data-autofocus>
              Delete {what}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
