import { Card } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Rows.module.css';

/** A list in a card, with lines between the rows. */
export const Rows = ({ label, children }: { label: string; children: ReactNode }) => (
  <Card withBorder p={0} component="ul" className={classes.rows} aria-label={label}>
    {children}
  </Card>
);

/** A row with its actions at the end. */
export const Row = ({ children, actions }: { children: ReactNode; actions?: ReactNode }) => (
  <li className={classes.row}>
    <div className={classes.about}>{children}</div>
    {actions && <div className={classes.actions}>{actions}</div>}
  </li>
);
