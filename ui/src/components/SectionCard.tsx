import { Card, type MantineSpacing, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef } from 'react';

interface Props {
  title: string;
  description?: ReactNode;
  gap?: MantineSpacing;
  children?: ReactNode;
}

/** The id of a section, for links to it. */
export const anchorOf = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** A part of a page in a card: its heading, what it is about, and its content. */
export function SectionCard({ title, description, gap = 'md', children }: Props) {
  const id = useId();
  const anchor = anchorOf(title);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    // The router looks for it before the content of the page is there.
    if (window.location.hash === `#${anchor}`) card.current?.scrollIntoView();
  }, [anchor]);
  return (
    <Card
      withBorder
      component="section"
      id={anchor}
      ref={card}
      aria-labelledby={id}
      style={{ scrollMarginTop: 'calc(var(--header-height) + var(--mantine-spacing-md))' }}
    >
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
