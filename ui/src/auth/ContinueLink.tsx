import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

/** The one way on from a page that has done what it is for; loads the next page anew. */
export function Leave({ to, children }: { to: string; children: ReactNode }) {
  const link = useRef<HTMLAnchorElement>(null);
  // Browsers do it by themselves for buttons and fields only.
  useEffect(() => link.current?.focus(), []);
  return (
    <Button component="a" ref={link} href={to} fullWidth>
      {children}
    </Button>
  );
}
