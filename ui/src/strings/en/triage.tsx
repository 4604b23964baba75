import type { ReactNode } from 'react';
import { number, plural } from './language.ts';

export const reasons = {
  not_exploitable: 'Not exploitable',
  used_in_tests: 'Used in tests',
  duplicate: 'Duplicate',
  mitigated: 'Mitigated elsewhere',
  risk_accepted: 'Risk accepted',
  no_fix_available: 'No fix available',
  other: 'Other',
};
/** A reason within a sentence. */
export const reasonInSentence = (reason: keyof typeof reasons) => reasons[reason].toLowerCase();

export const setTheStatus = 'Set the status';
export const onlyRolesSetStatus = (role: string, roles: string) =>
  `Your role is ${role}. Only ${roles} can change the status.`;
export const roleInProjectTooLow = 'Your role in this project is viewer, which cannot change the status.';
export const onlyAgentsVerify = 'Only agents set this status, after they have confirmed the fix';
/** A button that opens a dialog. */
export const opensDialog = (label: string) => `${label}…`;
export const setStatusTo = (status: string) => `Set status: ${status}`;
export const undoLastChange = 'Undo the last change';

/** The fields that a decision changes. Null removes a value. */
interface Effect {
  status?: string | undefined;
  reason?: keyof typeof reasons | undefined;
  /** A date. */
  acceptedUntil?: string | null | undefined;
  assignee?: string | null | undefined;
  due?: string | null | undefined;
  hasNote: boolean;
}
/** Such as "Set to False positive (used in tests), assigned to Ada". */
export function effectOf({ status, reason, acceptedUntil, assignee, due, hasNote }: Effect): string {
  const until = acceptedUntil ? ` until ${acceptedUntil}` : '';
  const why = reason ? ` (${reasonInSentence(reason)})` : '';
  const parts = [
    status !== undefined && `Set to ${status}${until}${why}`,
    status === undefined && acceptedUntil === null && 'Risk no longer accepted',
    status === undefined && reason && `Reason: ${reasonInSentence(reason)}`,
    assignee === null && 'Unassigned',
    assignee && `Assigned to ${assignee}`,
    due === null && 'Due date removed',
    due && `Due on ${due}`,
  ].filter((part) => typeof part === 'string');
  if (parts.length === 0) return hasNote ? 'Note added' : 'Changed';
  const [first = '', ...others] = parts;
  return [first, ...others.map((part) => part.charAt(0).toLowerCase() + part.slice(1))].join(', ');
}
export const aMember = 'a member';

export const changed = (effect: string, findings: ReactNode) => (
  <>
    {effect}: {findings}
  </>
);
export const finding = (title: string) => (
  <>
    “<bdi>{title}</bdi>”
  </>
);
export const findings = (count: number) => plural(count, { one: '# finding', other: '# findings' });
export const changedMatching = (done: number, kept: number, gone: number) =>
  [
    findings(done),
    kept > 0 && `${findings(kept)} kept: changed by someone else since.`,
    gone > 0 && `${findings(gone)} no longer matched: changed by someone else meanwhile.`,
  ]
    .filter(Boolean)
    .join('. ');
export const undo = 'Undo';
export const noneMatchesAnyMore = 'Nothing was changed: no finding matches any more.';
export const othersMatch = (count: number, before: number) =>
  plural(count, {
    one: `# finding matches now, not ${number(before)}`,
    other: `# findings match now, not ${number(before)}`,
  });
export const whyOthersMatch =
  'Nothing was changed. Findings were added, or someone else has changed some, since you selected them.';
export const changeAll = (count: number) => plural(count, { one: 'Change it', other: 'Change all #' });
export const cancel = 'Cancel';
export const nothingRestored = 'Nothing was restored.';
export const undone = (status: string, finding: ReactNode) => (
  <>
    Undone. Back to {status}: {finding}
  </>
);
export const undoneFor = (count: number) =>
  plural(count, { one: 'Undone for # finding.', other: 'Undone for # findings.' });
export const withKept = (undone: ReactNode, kept: number) => (
  <>
    {undone} {plural(kept, { one: '# finding', other: '# findings' })} kept: changed by someone else since.
  </>
);
export const notChanged = 'Not changed';
export const notChangedBecause = (problem: string) => `Not changed: ${problem}`;
export const changedByOthers = (count: number) =>
  count === 1
    ? 'Someone else has changed this finding'
    : `Someone else has changed ${plural(count, { one: '# finding', other: '# findings' })}`;
export const applyAnyway = 'Apply my change anyway';
export const keepTheirs = 'Keep theirs';
export const nothingToUndo = 'Nothing to undo.';
export const anotherIsRunning = 'Another change is still running. Try again when it is complete.';

interface OthersDecision {
  /** Undefined if it is not known. */
  name: string | undefined;
  status: string;
  reason: keyof typeof reasons | undefined;
  /** How long ago. */
  time: ReactNode;
  /** The status that the user has chosen. */
  own: string | undefined;
}
export const theyDecided = ({ name, status, reason, time, own }: OthersDecision) => (
  <>
    <bdi>{name ?? 'Somebody'}</bdi> set it to {status}
    {reason && ` (${reasonInSentence(reason)})`}
    {time && <> {time}</>}.{own !== undefined && ` Your change would set it to ${own}.`}
  </>
);
export const andMore = (count: number) => `and ${number(count)} more`;
