import { Empty } from "@/kit/Empty";

export default function Overview() {
  return <Empty title="Overview" />;
}
