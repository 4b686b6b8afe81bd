import { Empty } from "@/kit/Empty";

export default function Details() {
  return <Empty title="Details" />;
}
