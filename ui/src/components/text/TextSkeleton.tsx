import { Skeleton, Stack } from '@mantine/core';

/** A placeholder for text that is loading. */
export function TextSkeleton() {
  return (
    <Stack gap="xs" aria-hidden>
      {[100, 92, 97, 60].map((width) => (
        <Skeleton key={width} h={14} w={`${width}%`} />
      ))}
    </Stack>
  );
}
