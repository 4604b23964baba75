import { Skeleton, Stack } from '@mantine/core';

/** Stands for a text that comes in a moment. */
export function TextSkeleton() {
  return (
    <Stack gap="xs" aria-hidden>
      {[100, 92, 97, 60].map((width) => (
        <Skeleton key={width} h={14} w={`${width}%`} />
      ))}
    </Stack>
  );
}
