import type { Menu, MenuProps } from '@mantine/core';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { loadAhead, useParts } from './floating.ts';
import { loadOpened } from './load-opened.ts';

interface ButtonProps {
  ref: RefObject<HTMLButtonElement | null>;
  onClick(): void;
  onPointerEnter(): void;
  onFocus(): void;
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
  'aria-busy': true | undefined;
}

interface Props extends Pick<MenuProps, 'position' | 'width' | 'closeOnItemClick'> {
  /** Renders the button that opens the menu. */
  button(this: void, props: ButtonProps): ReactNode;
  /** Renders the items, with the parts of Mantine's menu. */
  children(this: void, menu: typeof Menu): ReactNode;
}

/** A button with a menu whose code is loaded before it is opened for the first time. */
export function LazyMenu({ button, children, ...menu }: Props) {
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  const parts = useParts();
  return (
    <>
      {button({
        ref: target,
        onClick: () => {
          if (!parts && !opened) loadOpened(() => setOpened(false));
          setWanted(true);
          setOpened(!opened);
        },
        onPointerEnter: loadAhead,
        onFocus: loadAhead,
        'aria-haspopup': 'menu',
        'aria-expanded': opened && parts !== undefined,
        'aria-busy': (opened && !parts) || undefined,
      })}
      {wanted && parts && (
        <parts.FloatingMenu {...menu} opened={opened} onChange={setOpened} target={target}>
          {children}
        </parts.FloatingMenu>
      )}
    </>
  );
}
