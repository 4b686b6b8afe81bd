/** What a place in the columns tells of, beside the pointer. */

import { RecordTip } from "@/kit/canvas/RecordTip";
import { NONE } from "@/model/outline";
import { type Column, ownerAt, seqAt } from "@/model/overview";

export function SpotTip({
  column,
  row,
  point,
}: {
  column: Column | undefined;
  row: number;
  point: { x: number; y: number } | null;
}) {
  if (!column || !point) return null;
  const owner = ownerAt(column, row);
  const seq = seqAt(column, row);
  if (seq === NONE) return null;
  const more = owner === column ? column.run : `${column.run}, shared with ${owner.run}`;
  return (
    <RecordTip
      x={point.x}
      y={point.y}
      run={owner.run}
      seq={seq}
      outline={owner.outline}
      at={seq - owner.base}
      more={more}
    />
  );
}
