import type { TooltipProps } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { cloneElement, type PointerEvent, type ReactElement, type Ref, useRef, useState } from 'react';
import { loadAhead, useParts } from './floating.ts';

interface ChildProps {
  ref?: Ref<HTMLElement>;
  onPointerEnter?(event: PointerEvent<HTMLElement>): void;
  'aria-expanded'?: boolean;
}

interface Props extends Pick<TooltipProps, 'label' | 'multiline' | 'maw' | 'disabled'> {
  /** An element that takes a ref and has a name of its own. */
  children: ReactElement;
}

/**
 * A tooltip for the pointer, whose code is loaded before it is shown for the first time. It is hidden while the menu of
 * its element is open.
 */
export function Tip({ children, disabled, ...tooltip }: Props) {
  const child = children as ReactElement<ChildProps>;
  const [wanted, setWanted] = useState(false);
  const target = useRef<HTMLElement>(null);
  const parts = useParts();
  return (
    <>
      {cloneElement(child, {
        ref: useMergedRef(target, child.props.ref),
        onPointerEnter: (event) => {
          child.props.onPointerEnter?.(event);
          if (event.pointerType !== 'mouse') return;
          setWanted(true);
          if (!parts) loadAhead();
        },
      })}
      {wanted && parts && (
        <parts.FloatingTip
          {...tooltip}
          disabled={disabled || child.props['aria-expanded'] === true}
          target={target}
        />
      )}
    </>
  );
}
