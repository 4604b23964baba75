import type { OwnEventType } from '../../db/schema/values.ts';
import type { NotificationKind } from './settings.ts';

/** The kinds of mails about an event. */
export const KINDS_OF: Partial<Record<OwnEventType, readonly NotificationKind[]>> = {
  'finding.assigned': ['assigned'],
  'finding.commented': ['mentioned'],
  'finding.due_soon': ['due_soon'],
  'finding.overdue': ['due_soon'],
  'scan.completed': ['new_critical', 'regressed'],
  'scan.failed': ['scan_failed'],
};

/** The events that mails are about. */
export const MAIL_EVENTS = Object.keys(KINDS_OF);
