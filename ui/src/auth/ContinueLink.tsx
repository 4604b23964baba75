import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

/** The link to the next page, with a page load and with the focus. */
export function ContinueLink({ to, children }: { to: string; children: ReactNode }) {
  const link = useRef<HTMLAnchorElement>(null);
  // `autofocus` works only for buttons and fields.
  useEffect(() => link.current?.focus(), []);
  return (
    <Button component="a" ref={link} href={to} fullWidth>
      {children}
    </Button>
  );
}
