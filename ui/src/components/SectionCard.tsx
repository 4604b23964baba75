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

/** Makes an element the target of links to a section. The router looks for it before the content of the page is there. */
export function useAnchor<E extends HTMLElement>(title: string) {
  const id = anchorOf(title);
  const ref = useRef<E>(null);
  useEffect(() => {
    if (window.location.hash === `#${id}`) ref.current?.scrollIntoView();
  }, [id]);
  return { id, ref };
}

/** A part of a page in a card: its heading, what it is about, and its content. */
export function SectionCard({ title, description, gap = 'md', children }: Props) {
  const id = useId();
  return (
    <Card withBorder component="section" {...useAnchor<HTMLElement>(title)} aria-labelledby={id}>
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
