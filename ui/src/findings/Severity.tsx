import { Badge } from '@mantine/core';
import type { FindingStatus, Severity } from '../app/search.ts';

export const SEVERITY_NAMES: Record<Severity, string> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Info',
};

/** The colour of a severity, for charts and marks. */
export const severityColor = (severity: Severity): string => `var(--severity-${severity})`;

/** A severity as a coloured word. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  const color = severityColor(severity);
  return (
    <Badge
      variant="default"
      radius="sm"
      styles={{
        root: {
          color,
          borderColor: color,
          background: `color-mix(in srgb, ${color} 10%, var(--mantine-color-body))`,
          flexShrink: 0,
        },
        label: { overflow: 'visible' },
      }}
    >
      {SEVERITY_NAMES[severity]}
    </Badge>
  );
}

export const STATUS_NAMES: Record<FindingStatus, string> = {
  open: 'Open',
  confirmed: 'Confirmed',
  fixed: 'Fixed',
  false_positive: 'False positive',
  wontfix: "Won't fix",
  verified: 'Verified',
};

const STATUS_COLORS: Record<FindingStatus, string> = {
  open: 'blue',
  confirmed: 'orange',
  fixed: 'teal',
  false_positive: 'gray',
  wontfix: 'gray',
  verified: 'green',
};

/** The status of a finding. */
export function StatusBadge({ status }: { status: FindingStatus }) {
  const color = STATUS_COLORS[status];
  return (
    <Badge
      variant="dot"
      color={color}
      radius="sm"
      styles={{ root: { textTransform: 'none', flexShrink: 0 }, label: { overflow: 'visible' } }}
    >
      {STATUS_NAMES[status]}
    </Badge>
  );
}
