import { Empty } from "@/kit/Empty";

export default function Pending() {
  return <Empty title="Pending" />;
}
