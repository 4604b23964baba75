import { number, plural } from '../../language.ts';

const findings = (count: number) => plural(count, { one: '# finding', other: '# findings' });

export const selecting = (read: number, total: number) => `Selecting: ${number(read)} of ${findings(total)}`;
export const selectingAll = 'Selecting all matching findings';
export const changing = (tried: number, total: number) => `Changing: ${number(tried)} of ${findings(total)}`;
export const undoing = (tried: number, total: number) => `Undoing: ${number(tried)} of ${findings(total)}`;
export const progress = 'Progress';
export const cancel = 'Cancel';
export const stop = 'Stop';

export const selectedFindings = 'Selected findings';
export const selected = (count: number) => `${number(count)} selected`;
export const allSelected = (count: number) => `${number(count)} selected: all that match`;
export const setStatus = 'Set status';
export const status = 'Status';
export const triage = 'Triage…';
export const deleteAsk = 'Delete…';
export const deleteFindings = 'Delete findings';
export const deleteThese = (count: number) =>
  plural(count, { one: 'Delete # finding?', other: 'Delete # findings?' });
export const deletionCanBeUndone =
  'Their activity, comments and exploits are deleted too. If a scan reports one again, it is a new finding. You can undo this for 30 days.';
export const clear = 'Clear';
export const selectAll = (count: number) =>
  plural(count, { one: 'Select # matching finding', other: 'Select all # matching findings' });
export const selectAllShort = (count: number) => `All ${number(count)}`;
export const selectAllMatching = 'Select all matching findings';
export const selectAllMatchingShort = 'All';
export const setAll = (count: number, status: string) =>
  plural(count, { one: `Set # finding to ${status}?`, other: `Set # findings to ${status}?` });
export const canBeUndone = 'You can stop the change, and undo it for 30 days.';

interface Result {
  done: number;
  failed: number;
  /** Changed by someone else. */
  kept: number;
  left: number;
}
/** Such as "5 changed, 2 failed". */
export const result = ({ done, failed, kept, left }: Result) =>
  [
    `${number(done)} changed`,
    failed > 0 && `${number(failed)} failed`,
    kept > 0 && `${number(kept)} kept, because someone else has changed them`,
    left > 0 && `${number(left)} not tried`,
  ]
    .filter(Boolean)
    .join(', ');
export const failedChanges = 'Changes that failed';
export const tryAgain = 'Try again';
export const goOn = 'Continue';
export const showDetails = 'Show details';
export const hideDetails = 'Hide details';
export const undo = 'Undo';
export const dismiss = 'Dismiss';
export const problem = (title: string) => `${title}.`;
export const problemWithLoss = (title: string, count: number) =>
  `${title}. The response was lost, so up to ${number(count)} of these findings may have been changed: see Recent changes.`;
export const notChanged = 'Findings that were not changed';
export const failure = (title: string, why: string) => (
  <>
    <bdi>{title}</bdi>: {why}
  </>
);
export const andMore = (count: number) => `and ${number(count)} more`;
