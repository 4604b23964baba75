import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useOrg } from '../../../app/session.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import { scanQuery } from '../../../scans/queries.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../../Severity.tsx';
import classes from '../Findings.module.css';

const CHANGE_NAMES: Record<NonNullable<FindingFilter['change']>, string> = {
  new: 'New since',
  seen_again: 'Also in',
  gone: 'Gone since',
};

interface Props {
  filter: FindingFilter;
  onChange(change: { [K in keyof FindingFilter]?: FindingFilter[K] | undefined }): void;
  onClear(): void;
}

/** The active filters, each with a button that removes it. */
export function FilterChips({ filter, onChange, onClear }: Props) {
  const org = useOrg();
  const { project_id, scan_id, against, change, severity, status, cwe, q } = filter;
  const projects = useQuery(projectsQuery(org)).data;
  const chips: [key: string, label: string, text: ReactNode, clear: () => void][] = [];
  if (q) chips.push(['q', 'Text', q, () => onChange({ q: undefined })]);
  if (project_id !== undefined) {
    const name = projects?.find(({ id }) => id === project_id)?.name ?? project_id;
    chips.push(['project', 'Project', name, () => onChange({ project_id: undefined })]);
  }
  if (scan_id !== undefined) {
    const clear = () => onChange({ scan_id: undefined, against: undefined, change: undefined });
    chips.push(['scan', 'Scan', <ScanName key="scan" id={scan_id} />, clear]);
  }
  if (against !== undefined && change) {
    const clear = () => onChange({ against: undefined, change: undefined });
    chips.push(['change', CHANGE_NAMES[change], <ScanName key="against" id={against} />, clear]);
  }
  for (const one of severity ?? []) {
    const rest = severity?.filter((other) => other !== one) ?? [];
    const clear = () => onChange({ severity: rest.length > 0 ? rest : undefined });
    chips.push([`severity ${one}`, 'Severity', SEVERITY_NAMES[one], clear]);
  }
  for (const one of status ?? []) {
    const rest = status?.filter((other) => other !== one) ?? [];
    const clear = () => onChange({ status: rest.length > 0 ? rest : undefined });
    chips.push([`status ${one}`, 'Status', STATUS_NAMES[one], clear]);
  }
  if (cwe) chips.push(['cwe', 'CWE', cwe, () => onChange({ cwe: undefined })]);
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Active filters">
      {chips.map(([key, label, text, clear]) => (
        <li key={key}>
          <Button
            size="compact-xs"
            variant="light"
            radius="xl"
            fw={500}
            maw="min(100%, 20rem)"
            rightSection={<IconX size={12} aria-hidden />}
            onClick={clear}
            title="Remove this filter"
          >
            {label}: <bdi className={classes.value}>{text}</bdi>
          </Button>
        </li>
      ))}
      <li>
        <Button size="compact-xs" variant="subtle" onClick={onClear}>
          Clear all
        </Button>
      </li>
    </ul>
  );
}

function ScanName({ id }: { id: string }) {
  const { data } = useQuery({ ...scanQuery(useOrg(), id), retry: false });
  return data?.name ?? id;
}
