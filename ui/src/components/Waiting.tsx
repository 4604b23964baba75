import { Center, Loader } from '@mantine/core';
import * as text from '#strings/components.ts';

/** A loader. */
export function Waiting({ label = text.loading }: { label?: string }) {
  return (
    <Center py="xl" role="status" aria-label={label}>
      <Loader type="dots" />
    </Center>
  );
}
