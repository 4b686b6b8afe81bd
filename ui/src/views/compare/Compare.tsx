import { Empty } from "@/kit/Empty";

export default function Compare() {
  return <Empty title="Compare" />;
}
