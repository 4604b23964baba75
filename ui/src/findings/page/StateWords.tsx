import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import * as text from '#strings/findings/page.tsx';
import { ago } from '../../components/time/ago.ts';
import { dateTime } from '../../components/time/Time.tsx';
import { IconAlertTriangle, IconClock, IconRotateClockwise } from '../../icons/icons.ts';
import { dateOf } from '../../triage/texts.ts';
import type { Finding } from '../finding-queries.ts';
import classes from './Finding.module.css';

const isResolved = (status: Finding['status']) => status !== 'open' && status !== 'confirmed';

/** The states of a finding that need attention, in words. */
export function StateWords({ finding }: { finding: Finding }) {
  const { regressed, regressed_at, status, due_at, accepted_until } = finding;
  const isOverdue = due_at !== undefined && !isResolved(status) && Date.parse(due_at) < Date.now();
  return (
    <>
      {regressed && (
        <State alarming icon={<IconRotateClockwise size={14} aria-hidden />}>
          {text.regressed(regressed_at && ago(regressed_at))}
        </State>
      )}
      {isOverdue && (
        <State alarming icon={<IconAlertTriangle size={14} aria-hidden />}>
          <span title={dateTime(due_at)}>{text.overdueSince(dateOf(due_at))}</span>
        </State>
      )}
      {accepted_until && (
        <State icon={<IconClock size={14} aria-hidden />}>
          <span title={dateTime(accepted_until)}>{text.riskAcceptedUntil(dateOf(accepted_until))}</span>
        </State>
      )}
    </>
  );
}

function State({ icon, alarming, children }: { icon: ReactNode; alarming?: boolean; children: ReactNode }) {
  return (
    <Text size="sm" span className={classes.state} {...(alarming && { c: 'var(--mantine-color-error)' })}>
      {icon}
      <span>{children}</span>
    </Text>
  );
}
