/** What a component has returned before, to write an answer from. */

import { Button, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";

import { oneLine } from "@/kit/words";
import { soleText, untyped } from "@/model/body";
import { earlierResults } from "@/model/mocks";
import { shortName } from "@/model/names";
import { useBody } from "@/state/bodies";
import { useRecord } from "@/state/run";
import { useWorkspace } from "@/views/workspace/context";

/** So many of its last results are offered. */
const MOST = 8;

export interface TemplatesProps {
  component: string;
  /** The record whose own result is none to begin from. */
  except?: number | undefined;
  onUse: (value: unknown) => void;
}

export function Templates({ component, except, onUse }: TemplatesProps) {
  const { view } = useWorkspace();
  const found = earlierResults(view.outline, component, MOST).filter((seq) => seq !== except);
  if (found.length === 0) return null;
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button variant="default" size="compact-xs" rightSection={<IconChevronDown size={12} />}>
          Copy an earlier result
        </Button>
      </Menu.Target>
      <Menu.Dropdown maw={420} aria-label={`Earlier results of ${shortName(component)}`}>
        {found.map((seq) => (
          <Template key={seq} seq={seq} onUse={onUse} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Template({ seq, onUse }: { seq: number; onUse: (value: unknown) => void }) {
  const { run } = useWorkspace();
  const record = useRecord(run, seq);
  const { data, isPlaceholderData } = useBody(record?.hash);
  const there = record !== undefined && !isPlaceholderData && data !== undefined;
  const told = there ? (soleText(data) ?? JSON.stringify(untyped(data)) ?? "") : "…";
  return (
    <Menu.Item disabled={!there} onClick={() => onUse(data)}>
      <span className="quiet">#{seq}</span> {oneLine(told, 90) || "nothing"}
    </Menu.Item>
  );
}
