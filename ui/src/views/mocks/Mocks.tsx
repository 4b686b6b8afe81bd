import { Empty } from "@/kit/Empty";

export default function Mocks() {
  return <Empty title="Mocks" />;
}
