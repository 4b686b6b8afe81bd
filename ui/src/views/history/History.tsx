import { Empty } from "@/kit/Empty";

export function History() {
  return <Empty title="History" />;
}
