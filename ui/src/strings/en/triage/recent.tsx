import type { ReactNode } from 'react';
import { plural } from '../language.ts';

export const recentChanges = 'Recent changes';
export const whatIsListed =
  'Changes you made to findings in the last 30 days. Undo restores the findings that nobody has changed since.';
export const noChanges = 'No changes yet';
export const howToChange = 'Triage a finding to see it here.';
export const yourChanges = 'Your recent changes';
export const showOlder = 'Show older changes';
export const restored = (count: number, kept: number) =>
  plural(count, { one: '# finding restored.', other: '# findings restored.' }) +
  (kept > 0
    ? ` ${plural(kept, { one: '# finding kept', other: '# findings kept' })}: changed by someone else since.`
    : '');
export const differentChanges = 'Several changes';
export const findingAndOthers = (finding: ReactNode, others: number) => (
  <>
    {finding} and {plural(others, { one: '# other', other: '# others' })}
  </>
);
export const undone = 'Undone';
export const undo = 'Undo';
export const undoChange = (change: string, title: string) => `Undo: ${change}, ${title}`;
