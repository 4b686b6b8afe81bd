import { Empty } from "@/kit/Empty";

export default function ComponentDetails({ path }: { path: string }) {
  return <Empty title={path} />;
}
