/** What is shown to who has not the token; everything else once it was given. */

import { Center, Code, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";

import { entryNow, onEntry } from "@/api/entry";
import { onNewToken } from "@/api/token";

import { AddressForm } from "./AddressForm";

export function Entrance({ children }: { children: ReactNode }) {
  return useSyncExternalStore(onEntry, entryNow) === "out" ? <Closed /> : children;
}

function Closed() {
  useEffect(() => onNewToken(() => location.reload()), []);
  return (
    <Center h="100%" component="main">
      <Stack align="center" gap="xs" maw={560} p="md">
        <Title order={1} size="h2">
          No entry without the token
        </Title>
        <Text>
          Open the address that <Code>outtake serve</Code> printed when it was started, or paste it here; it holds the
          token.
        </Text>
        <AddressForm onToken={() => location.reload()} />
      </Stack>
    </Center>
  );
}
