import { plural } from '../language.ts';

export const triageFinding = (title: string) => (
  <>
    Triage “<bdi>{title}</bdi>”
  </>
);
export const triageFindings = (count: number) =>
  plural(count, { one: 'Triage # finding', other: 'Triage # findings' });
export const untils = { never: 'No end', '30': '30 days', '90': '90 days', date: 'A date' };
export const chooseReason = 'Choose a reason.';
export const chooseFutureDate = 'Choose a date in the future.';
export const changeSomething = 'Change something first.';
export const status = 'Status';
export const verifiedByAgent = 'Verified by an agent';
export const reason = 'Reason';
export const optionalReason = 'Reason (optional)';
export const acceptUntil = 'Accept the risk until';
export const openAgainThen = 'Then the finding is open again.';
export const acceptUntilDate = 'Accept the risk until this date';
export const note = 'Note';
export const whereNoteIsShown = 'Shown in the activity of the finding.';
export const dueDate = 'Due date';
export const emptyKeeps = 'Empty: keep as it is';
export const cancel = 'Cancel';
export const apply = 'Apply';
export const applyKeys = 'Ctrl Enter';

export const assignee = 'Assignee';
export const noMemberFound = 'No member found';
export const keep = 'Keep as it is';
export const nobody = 'Nobody';
export const memberWithEmail = (name: string, email: string) => `${name} (${email})`;
export const assignToMe = 'Assign to me';
