import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";

import { renameRun } from "@/state/commands";

export interface RenameRunProps {
  run: { run: string; name: string };
  close: () => void;
  /** It is called something else now. */
  renamed?: () => void;
}

/** What a run is called: its number stays, and is always said, too. */
export function RenameRun({ run, close, renamed }: RenameRunProps) {
  const [name, setName] = useState(run.name);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const done = await renameRun(run.run, name);
    setBusy(false);
    if (!done) return;
    renamed?.();
    close();
  };
  return (
    <Modal opened onClose={close} title={`Name of ${run.run}`} closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Stack gap="sm">
          <TextInput
            aria-label="Name"
            placeholder="A few words to know it by"
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
