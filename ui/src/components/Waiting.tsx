import { Center, Loader } from '@mantine/core';
import * as text from '#strings/components.ts';

/** A loader. The page hides everything that follows it or its card, because it would move (`styles.css`). */
export function Waiting({ label = text.loading }: { label?: string }) {
  return (
    <Center py="xl" data-waiting role="status" aria-label={label}>
      <Loader type="dots" />
    </Center>
  );
}
