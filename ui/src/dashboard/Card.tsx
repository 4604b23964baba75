import { Group, Paper, Table, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';

interface Props {
  title: string;
  /** Shown next to the title. */
  side?: ReactNode;
  children: ReactNode;
}

/** A card of the dashboard. */
export function Card({ title, side, children }: Props) {
  const id = useId();
  return (
    <Paper withBorder component="section" aria-labelledby={id} h="100%" miw={0} px="md" py="sm">
      <Group justify="space-between" gap="xs" mb={8} mih={26}>
        <Title order={2} size="h3" id={id}>
          {title}
        </Title>
        {side}
      </Group>
      {children}
    </Paper>
  );
}

/** The properties of the cells of a column. */
interface ColumnProps {
  className?: string | undefined;
  'data-column'?: string;
}

/** The heads of the columns of severities. */
export const SeverityHeads = ({ of }: { of?: (severity: Severity) => ColumnProps }) =>
  SEVERITIES.map((severity) => (
    <Table.Th key={severity} {...of?.(severity)}>
      {SEVERITY_NAMES[severity]}
    </Table.Th>
  ));
