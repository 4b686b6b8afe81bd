/** The left column: components, and breakpoints below them. */

import { Empty } from "@/kit/Empty";

export function Sidebar() {
  return <Empty title="Components" />;
}
