import { Menu, type MenuProps, Tooltip, type TooltipProps } from '@mantine/core';
import { type ReactNode, type Ref, type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/* Components that float above the page. Import them with `floating.ts`. */

export { Select } from '@mantine/core';

interface StandInProps {
  element: RefObject<HTMLElement | null>;
  /* Properties that Mantine sets on a target, unless the element has them already. */
  ref?: Ref<HTMLElement>;
  id?: string;
  'aria-controls'?: string;
  'aria-describedby'?: string;
}

/** The target of a menu or tooltip, in place of a button that was on the page before and stays there. */
function StandIn({ element, ref, ...given }: StandInProps) {
  useLayoutEffect(() => {
    const target = element.current;
    if (typeof ref === 'function') ref(target);
    else if (ref) ref.current = target;
  }, [element, ref]);
  useAttribute(element, 'id', given.id);
  useAttribute(element, 'aria-controls', given['aria-controls']);
  useAttribute(element, 'aria-describedby', given['aria-describedby']);
  return null;
}

function useAttribute(element: RefObject<HTMLElement | null>, name: string, value: string | undefined): void {
  useLayoutEffect(() => {
    const target = element.current;
    if (!target || value === undefined) return;
    target.setAttribute(name, value);
    return () => target.removeAttribute(name);
  }, [element, name, value]);
}

interface FloatingMenuProps extends Omit<MenuProps, 'children' | 'opened'> {
  opened: boolean;
  target: RefObject<HTMLElement | null>;
  children(menu: typeof Menu): ReactNode;
}

/** A menu at a button that is on the page. */
export function FloatingMenu({ opened, target, children, ...others }: FloatingMenuProps) {
  // Mantine returns the focus only if the menu was rendered before it was opened.
  const [shown, setShown] = useState(false);
  useEffect(() => setShown(opened), [opened]);
  return (
    <Menu {...others} opened={shown}>
      <Menu.Target>
        <StandIn element={target} />
      </Menu.Target>
      <Menu.Dropdown>{children(Menu)}</Menu.Dropdown>
    </Menu>
  );
}

interface FloatingTipProps extends Omit<TooltipProps, 'children' | 'target'> {
  target: RefObject<HTMLElement | null>;
}

/** A tooltip at an element that is on the page. */
export function FloatingTip({ target, ...others }: FloatingTipProps) {
  return (
    // The pointer may have left while this was loaded.
    <Tooltip {...others} defaultOpened={target.current?.matches(':hover') ?? false}>
      <StandIn element={target} />
    </Tooltip>
  );
}
