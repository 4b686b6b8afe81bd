/** What a fork will execute and what it takes from the record, in words, before it is made. */

import type { CallReach } from "@/api/schema";
import { money } from "@/kit/words";

export function tellReach(reach: CallReach | null): string {
  if (reach === null) return "";
  const { all, could, tokens, cost } = reach;
  const calls = `${could} ${could === 1 ? "call" : "calls"}`;
  const spent = [
    tokens.in + tokens.out > 0 ? `${(tokens.in + tokens.out).toLocaleString("en")} tokens` : "",
    money(cost),
  ];
  const known = spent.filter(Boolean).join(", ");
  const rest = all - could;
  return `At most ${calls} will be executed${known && ` (here they took ${known})`}, ${rest} ${rest === 1 ? "comes" : "come"} from the record.`;
}
