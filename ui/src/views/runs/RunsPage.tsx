import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { useRuns } from "@/state/runs";

export function RunsPage() {
  const { runs } = useRuns();
  return (
    <main>
      {runs.map((run) => (
        <Anchor key={run.run} component={Link} to={`/runs/${run.run}`}>
          {run.run}
        </Anchor>
      ))}
    </main>
  );
}
