import * as text from '#strings/triage.tsx';
import { dayOf } from '../components/time/dates.ts';
import { STATUS_NAMES } from '../findings/Severity.tsx';
import type { Decision, Reason } from './decision.ts';

export const REASON_NAMES: Record<Reason, string> = text.reasons;

/** The reasons in the order of a form, the most likely ones for a status first. */
export const REASONS: Record<'false_positive' | 'wontfix' | 'other', readonly Reason[]> = {
  false_positive: ['not_exploitable', 'used_in_tests', 'duplicate', 'mitigated', 'other'],
  wontfix: ['risk_accepted', 'no_fix_available', 'mitigated', 'used_in_tests', 'duplicate', 'other'],
  other: Object.keys(REASON_NAMES) as Reason[],
};

/** The effect of a decision in words, such as "Set to False positive (Used in tests)". */
export function textOf(
  { status, reason, note, assignee_id, due_at, accepted_until }: Decision,
  assignee?: string,
): string {
  return text.effectOf({
    status: status && STATUS_NAMES[status],
    reason: reason ?? undefined,
    acceptedUntil: accepted_until && dayOf(accepted_until),
    assignee: assignee_id && (assignee ?? text.aMember),
    due: due_at && dayOf(due_at),
    hasNote: Boolean(note),
  });
}
