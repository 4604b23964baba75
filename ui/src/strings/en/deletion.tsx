import type { ReactNode } from 'react';
import { number, plural } from './language.ts';

export const moreActions = 'More actions';

export const deleteFinding = 'Delete finding';
export const deleteFindingAsk = 'Delete finding…';
export const deleteThisFinding = 'Delete this finding?';
export const findingIsGone =
  'Its activity, comments and exploits are deleted too. This cannot be undone. If a scan reports it again, it is a new finding. To hide a finding that is not a problem, set its status to false positive instead.';
export const findingDeleted = 'The finding was deleted.';

export const deleteScan = 'Delete scan';
export const deleteScanAsk = 'Delete scan…';
export const deleteThisScan = 'Delete this scan?';
export const scanIsGone =
  'Its findings stay. Later scans are compared with the scan before it. You can undo this for 30 days.';
export const scanAndFindingsAreGone =
  'The findings are deleted with their activity, comments and exploits. Later scans are compared with the scan before it. You can undo this for 30 days.';
export const withFindings = (findings: number) =>
  plural(findings, {
    one: 'With the # finding that only this scan reported',
    other: 'With the # findings that only this scan reported',
  });
export const triagedAmong = (findings: number) =>
  findings === 0
    ? 'All of them are open.'
    : plural(findings, {
        one: '# of them has another status than Open.',
        other: '# of them have another status than Open.',
      });
export const noOwnFindings = 'Other scans reported all of its findings too.';

interface Progress {
  /** The name of the deleted scan. */
  scan: ReactNode;
  selected: number;
  findings: number;
  isComplete: boolean;
}
export const findings = (count: number) => plural(count, { one: '# finding', other: '# findings' });
/** The progress or the result of a deletion, in a toast. */
export function progressOf({ scan, selected, findings: done, isComplete }: Progress): ReactNode {
  if (!isComplete) return deleting(done, selected);
  if (scan && done === 0) return <>“{scan}” was deleted.</>;
  if (scan) {
    return (
      <>
        “{scan}” and {findings(done)} were deleted.
      </>
    );
  }
  return plural(done, { one: '# finding was deleted.', other: '# findings were deleted.' });
}
export const deleting = (done: number, selected: number) =>
  `Deleting: ${number(done)} of ${findings(selected)}`;
export const restoring = (done: number, all: number) => `Restoring: ${number(done)} of ${findings(all)}`;
export const undo = 'Undo';
export const undone = 'Undone';
export const isBeingUndone = 'Restoring';
export const restored = (count: number, others: number) =>
  others > 0 ? `${restoredCount(count)} ${leftOut(others)}` : restoredCount(count);
const restoredCount = (count: number) =>
  count === 0
    ? 'The deletion was undone.'
    : plural(count, { one: '# finding was restored.', other: '# findings were restored.' });
export const leftOut = (count: number) =>
  plural(count, {
    one: '# was not restored: it was reported again, or its project is gone.',
    other: '# were not restored: they were reported again, or their project is gone.',
  });

export const deletions = 'Recently deleted';
export const whatDeletionsAre = 'Deleted scans and findings of the last 30 days.';
export const toScans = 'All scans';
export const noDeletions = 'Nothing was deleted in the last 30 days';
export const scanAndFindings = (scan: string, count: number) =>
  count === 0 ? scan : `${scan} and ${findings(count)}`;
export const deletedBy = (name: string | undefined) =>
  name === undefined ? 'Deleted by a token or a former member' : `Deleted by ${name}`;
export const untilThen = (time: string) => `can be undone until ${time}`;
export const undoDeletion = (what: string) => `Undo the deletion of ${what}`;
export const actionsFor = (what: string) => `Actions for ${what}`;
export const removeForGoodAsk = 'Delete for good…';
export const removeForGood = 'Delete for good';
export const removeForGoodQuestion = 'Delete for good?';
export const cannotBeUndone = 'The deletion can no longer be undone.';

/** In the place of the title of a finding. */
export const deleted = 'Deleted finding';

export const deleteProject = 'Delete project';
export const deleteProjectAsk = 'Delete project…';
export const projectIsGone =
  'The project, its findings, scans and API tokens are deleted. Agents can no longer send findings to it. This cannot be undone.';
export const deleteThisProject = (name: string) => `Delete “${name}”?`;
export const projectDeleted = 'The project was deleted.';

export const deleteOrg = 'Delete organization';
export const deleteOrgAsk = 'Delete organization…';
export const orgIsGone =
  'Members and API tokens can no longer use the organization. Owners get a mail and can restore it for 30 days. After that, it is removed for good with all its findings. Nobody else can use its slug again, unless it never had an API token or another member.';
export const deleteThisOrg = (name: string) => `Delete “${name}”?`;
export const orgDeleted = (name: string) => `“${name}” was deleted. You can restore it here for 30 days.`;

export const typeToConfirm = (word: string) => (
  <>
    Type <code>{word}</code> to confirm
  </>
);
