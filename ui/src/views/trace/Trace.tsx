import { Empty } from "@/kit/Empty";

export default function Trace() {
  return <Empty title="Trace" />;
}
