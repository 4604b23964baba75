import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import * as text from '#strings/app.ts';

interface Props {
  title: string;
  /** Replaces the title if the heading is more than text. */
  heading?: ReactNode;
  description?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its heading, which is also the title of the window. */
export function Page({ title, heading, description, actions, children }: Props) {
  useDocumentTitle(text.windowTitle(title));
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ minWidth: 0, flex: '1 1 18rem' }}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {heading ?? <bdi>{title}</bdi>}
          </Title>
          {description && (
            <Text c="dimmed" mt={4}>
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
