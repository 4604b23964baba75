import { Card, type MantineSpacing, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  description?: ReactNode;
  gap?: MantineSpacing;
  children?: ReactNode;
}

/** A part of a page in a card: its heading, what it is about, and its content. */
export function SectionCard({ title, description, gap = 'md', children }: Props) {
  const id = useId();
  return (
    <Card withBorder component="section" aria-labelledby={id}>
      <Stack gap={gap}>
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed" maw="44rem">
              {description}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
