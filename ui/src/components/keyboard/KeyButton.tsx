import { Button, type ButtonProps, Kbd } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { useShortcutsOn } from './shortcuts.ts';

interface Props extends ButtonProps, Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  hotkey: string | undefined;
}

/** A small button that shows its key while single-key shortcuts are on. */
export function KeyButton({ hotkey, ...props }: Props) {
  const [on] = useShortcutsOn();
  const key = on ? hotkey : undefined;
  return (
    <Button
      size="compact-sm"
      {...(key && { 'aria-keyshortcuts': key })}
      rightSection={keyHint(key)}
      {...props}
    />
  );
}

/** The key of a button, for its `rightSection`. Nothing without a key. */
export const keyHint = (key: string | false | undefined) =>
  key && (
    <Kbd size="xs" aria-hidden visibleFrom="sm">
      {key}
    </Kbd>
  );
