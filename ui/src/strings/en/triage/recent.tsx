import type { ReactNode } from 'react';
import { plural } from '../language.ts';

export const recentChanges = 'Recent changes';
export const whatIsListed =
  'Changes that members and tokens made to findings in the last 30 days. Undo restores the findings that nobody has changed since. Admins may undo the changes of others.';
export const noChanges = 'No changes yet';
export const howToChange = 'Triage a finding to see it here.';
export const newestFirst = 'Recent changes, newest first';
export const allActivity = 'All activity';
export const byYou = (time: ReactNode) => <>You, {time}</>;
export const by = (actor: ReactNode, time: ReactNode) => (
  <>
    {actor}, {time}
  </>
);
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
