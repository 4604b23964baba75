import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import * as text from '#strings/components.ts';

interface Props<T> {
  items: readonly T[];
  /** The number of items shown at first. */
  count: number;
  children: (shown: readonly T[]) => ReactNode;
}

/** The first items of a list, with a button that shows all. It stays, so that it keeps the focus. */
export function ShowMore<T>({ items, count, children }: Props<T>) {
  const [all, { toggle }] = useDisclosure();
  return (
    <>
      {children(all ? items : items.slice(0, count))}
      {items.length > count && (
        <Button
          variant="subtle"
          size="compact-sm"
          ml={-8}
          w="fit-content"
          onClick={toggle}
          aria-expanded={all}
          data-print-hidden
        >
          {all ? text.showFewer : text.showMore(items.length - count)}
        </Button>
      )}
    </>
  );
}
