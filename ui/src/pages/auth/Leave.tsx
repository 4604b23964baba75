import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

/** The one way on from a page that has done what it is for; loads the next page anew. */
export function Leave({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Button component="a" href={to} fullWidth autoFocus>
      {children}
    </Button>
  );
}
