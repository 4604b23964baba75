import { Table } from '@mantine/core';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';

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
