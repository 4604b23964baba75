import { Center, Stack, Text, ThemeIcon } from '@mantine/core';
import type { ReactNode } from 'react';

/** An empty state: what is missing, and what to do. */
export function Empty({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <Center py="xl">
      <Stack align="center" gap="xs" maw={480} ta="center">
        {icon && (
          <ThemeIcon size={48} radius="xl" variant="light">
            {icon}
          </ThemeIcon>
        )}
        <Text fw={600}>{title}</Text>
        {children && (
          <Text c="dimmed" size="sm" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Center>
  );
}
