import { Text, Title } from '@mantine/core';
import type { ReactNode, Ref } from 'react';

interface Props {
  title: string;
  description: ReactNode;
  id?: string;
  /** In a row with buttons. */
  flex?: string;
  ref?: Ref<HTMLHeadingElement>;
}

/** The heading of a part of a page, and what it is about. With `ref`, it can take the focus. */
export const SectionHead = ({ title, description, id, flex, ref }: Props) => (
  <div style={{ flex }}>
    <Title order={2} {...(id && { id })} {...(ref && { ref, tabIndex: -1, style: { outline: 'none' } })}>
      {title}
    </Title>
    <Text size="sm" c="dimmed">
      {description}
    </Text>
  </div>
);
