import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import classes from './Finding.module.css';

/** A part of the page that is collapsed at first, except on paper. */
export function Collapsible({ summary, children }: { summary: string; children: ReactNode }) {
  const printing = useMediaQuery('print') ?? false;
  const [opened, setOpened] = useState(false);
  return (
    <details
      className={classes.collapsible}
      open={opened || printing}
      onToggle={({ currentTarget }) => !printing && setOpened(currentTarget.open)}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
