import { Empty } from "@/kit/Empty";

export default function Graph() {
  return <Empty title="Graph" />;
}
