import { STATUS_NAMES } from '../findings/Severity.tsx';
import type { Decision, Reason } from './decision.ts';

export const REASON_NAMES: Record<Reason, string> = {
  not_exploitable: 'Not exploitable',
  used_in_tests: 'Used in tests',
  duplicate: 'Duplicate',
  mitigated: 'Mitigated elsewhere',
  risk_accepted: 'Risk accepted',
  no_fix_available: 'No fix available',
  other: 'Other',
};

/** The reasons in the order of a form, the most likely ones for a status first. */
export const REASONS: Record<'false_positive' | 'wontfix' | 'other', readonly Reason[]> = {
  false_positive: ['not_exploitable', 'used_in_tests', 'duplicate', 'mitigated', 'other'],
  wontfix: ['risk_accepted', 'no_fix_available', 'mitigated', 'used_in_tests', 'duplicate', 'other'],
  other: Object.keys(REASON_NAMES) as Reason[],
};

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A date in the time zone of the user. */
export const dateOf = (time: string): string => day.format(new Date(time));

/** The effect of a decision in words, such as "Set to False positive (Used in tests)". */
export function textOf(
  { status, reason, note, assignee_id, due_at, accepted_until }: Decision,
  assignee?: string,
): string {
  const until = accepted_until ? ` until ${dateOf(accepted_until)}` : '';
  const why = reason ? ` (${REASON_NAMES[reason].toLowerCase()})` : '';
  const parts = [
    status && `Set to ${STATUS_NAMES[status]}${until}${why}`,
    !status && accepted_until === null && 'Risk no longer accepted',
    !status && reason && `Reason: ${REASON_NAMES[reason].toLowerCase()}`,
    assignee_id === null && 'Unassigned',
    assignee_id && `Assigned to ${assignee ?? 'a member'}`,
    due_at === null && 'Due date removed',
    due_at && `Due on ${dateOf(due_at)}`,
  ].filter((part) => typeof part === 'string');
  if (parts.length === 0) return note ? 'Note added' : 'Changed';
  const [first = '', ...others] = parts;
  return [first, ...others.map((part) => part.charAt(0).toLowerCase() + part.slice(1))].join(', ');
}
