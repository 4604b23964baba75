import { VisuallyHidden } from '@mantine/core';
import * as text from '#strings/findings.ts';
import type { FindingStatus, Severity } from '../app/search.ts';
import type { Icon } from '../icons/icon.tsx';
import {
  IconAlertCircle,
  IconCircle,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleOff,
  IconRosetteDiscountCheck,
  IconRotateClockwise,
} from '../icons/icons.ts';
import classes from './Severity.module.css';

export const SEVERITY_NAMES: Record<Severity, string> = text.severities;

/** The colour of a severity, for charts and marks. */
export const severityColor = (severity: Severity): string => `var(--severity-${severity})`;

/** A severity as a coloured square with its first letter, and its word. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  const name = SEVERITY_NAMES[severity];
  return (
    <span className={classes.severity}>
      <span className={classes.mark} data-severity={severity} aria-hidden>
        {name.charAt(0)}
      </span>
      {name}
    </span>
  );
}

/** A severity as a coloured square with its first letter, for narrow rows. */
export function SeverityMark({ severity }: { severity: Severity }) {
  const name = SEVERITY_NAMES[severity];
  return (
    <span className={classes.mark} data-severity={severity} title={name}>
      <span aria-hidden>{name.charAt(0)}</span>
      <VisuallyHidden>{name}</VisuallyHidden>
    </span>
  );
}

export const STATUS_NAMES: Record<FindingStatus, string> = text.statuses;

/** The name of a status before or after a change, which may be `regressed`. */
export const statusName = (status: string): string =>
  status === 'regressed' ? text.regressed : (STATUS_NAMES[status as FindingStatus] ?? status);

const STATUS_ICONS = {
  open: IconCircle,
  confirmed: IconAlertCircle,
  fixed: IconCircleCheck,
  false_positive: IconCircleOff,
  wontfix: IconCircleMinus,
  verified: IconRosetteDiscountCheck,
} satisfies Record<FindingStatus, Icon>;

interface StatusProps {
  status: FindingStatus;
  /** Whether the finding was seen again after it was fixed or verified. */
  regressed?: boolean | undefined;
  /** Whether neither the default branch nor a tracked ref has reported the finding. */
  proposed?: boolean | undefined;
}

/**
 * The status of a finding as an icon and a word. A finding that has regressed says so before its status, one that is proposed after
 * it.
 */
export function StatusBadge({ status, regressed = false, proposed = false }: StatusProps) {
  const StatusIcon = regressed ? IconRotateClockwise : STATUS_ICONS[status];
  return (
    <span className={classes.status} data-status={status} data-regressed={regressed || undefined}>
      <StatusIcon size={15} stroke={1.8} aria-hidden />
      {regressed ? (
        <>
          <strong>{text.regressed}</strong> ·{' '}
          <span className={classes.was}>{text.was(STATUS_NAMES[status])}</span>
        </>
      ) : (
        STATUS_NAMES[status]
      )}
      {proposed && (
        <>
          {' '}
          <span className={classes.was} title={text.whyProposed}>
            {text.proposed}
          </span>
        </>
      )}
    </span>
  );
}
