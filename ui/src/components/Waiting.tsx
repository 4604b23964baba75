import { Center, Loader } from '@mantine/core';

/** A loader. */
export function Waiting({ label = 'Loading' }: { label?: string }) {
  return (
    <Center py="xl" role="status" aria-label={label}>
      <Loader type="dots" />
    </Center>
  );
}
