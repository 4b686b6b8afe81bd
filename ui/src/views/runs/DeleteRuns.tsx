import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import { useState } from "react";

import type { RunSummary } from "@/api/schema";
import { count } from "@/kit/words";
import { deletable } from "@/model/runs";
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
  const { order, kept } = deletable(runs, new Set(ids));
  const records = runs.filter(({ run }) => order.includes(run)).reduce((sum, run) => sum + run.records, 0);
  const what = order.length === 1 ? `run ${order[0]}` : count(order.length, "run");
  const live = new Set(runs.filter((run) => run.live).map(({ run }) => run));
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
          <Alert color="orange" title={`${kept.join(", ")} ${kept.length === 1 ? "stays" : "stay"}`}>
            {kept.some((run) => !live.has(run)) &&
              "A run that has forks shares its records with them: delete these first. "}
            {kept.some((run) => live.has(run)) && "A run that goes on is stopped first."}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {order.length === 0 ? "Close" : "Keep"}
          </Button>
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
