import { Kbd } from '@mantine/core';

/** The key of a button, for its `rightSection`. Nothing without a key. */
export const keyHint = (key: string | false | undefined) =>
  key && (
    <Kbd size="xs" aria-hidden visibleFrom="sm">
      {key}
    </Kbd>
  );
