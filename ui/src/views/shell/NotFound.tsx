import { Anchor, Center, Stack, Text, Title } from "@mantine/core";

export function NotFound() {
  return (
    <Center h="100%" component="main">
      <Stack align="center" gap="xs">
        <Title order={2}>There is nothing here</Title>
        <Text>
          The address names no view. <Anchor href="/">All runs</Anchor>
        </Text>
      </Stack>
    </Center>
  );
}
