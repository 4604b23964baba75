import { Stack, Text, Title } from '@mantine/core';

/** Says that the other window can be gone on with. */
export function SignedIn() {
  return (
    <Stack>
      <Title order={1}>You are signed in</Title>
      <Text>Close this window and go on where you were.</Text>
    </Stack>
  );
}
