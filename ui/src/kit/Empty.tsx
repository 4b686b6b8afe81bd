import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** What an empty place says: what would be here, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack gap={4} p="md" align="center" justify="center" h="100%" ta="center">
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text className="quiet" maw={420} component="div">
          {children}
        </Text>
      )}
    </Stack>
  );
}
