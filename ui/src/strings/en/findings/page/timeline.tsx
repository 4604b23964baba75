import type { ReactNode } from 'react';
import { plural, TAG } from '../../language.ts';

export const activity = 'Activity';
export const newestFirst = 'Activity, newest first';
export const showOlder = 'Show older activity';

export const theService = 'The service';
export const formerUser = 'A deleted user';
export const apiToken = (name: ReactNode) => <>{name} (API token)</>;
export const rule = (name: ReactNode) => <>{name} (rule)</>;

const and = new Intl.ListFormat(TAG, { type: 'conjunction' });
/** Somebody and what they did: "Ada changed the status from Open to Fixed and assigned it to Grace 2 hours ago". */
export const didAll = (actor: ReactNode, actions: readonly ReactNode[], time: ReactNode) => (
  <>
    {actor}{' '}
    {and.formatToParts(actions.map((_, i) => `${i}`)).map(({ type, value }) =>
      // The parts come in the order of the sentence.
      type === 'element' ? <span key={value}>{actions[Number(value)]}</span> : value,
    )}{' '}
    {time}
  </>
);
export const because = (action: ReactNode, reason: string) => (
  <>
    {action} ({reason})
  </>
);
export const foundIt = 'found it';
export const sawAgain = 'saw it again after it was fixed';
export const merged = 'reported it on the default branch or a tracked branch for the first time';
export const isMissing = 'no longer finds it';
export const matched = 'counted it as the same by a previous fingerprint';
export const moved = (from: string | undefined, to: string | undefined) => (
  <>
    counted it as the same, moved from <bdi>{from}</bdi> to <bdi>{to}</bdi>,
  </>
);
export const inScan = (scan: ReactNode) => <>in the scan {scan}</>;
export const deletedScan = 'that was deleted';
export const changedSeverity = (from: string | undefined, to: string | undefined) =>
  `changed the severity from ${from} to ${to}`;
export const keptStatus = (status: string | undefined) => `kept the status ${status}`;
export const changedStatus = (from: string | undefined, to: string | undefined) =>
  `changed the status from ${from} to ${to}`;
export const removedAssignee = 'removed the assignee';
export const tookItOn = 'took it on';
export const assignedTo = (name: string) => (
  <>
    assigned it to <bdi>{name}</bdi>
  </>
);
export const removedDueDate = 'removed the due date';
export const setDueDate = (date: ReactNode) => <>set the due date to {date}</>;
export const noLongerAccepts = 'no longer accepts the risk';
export const acceptedUntil = (date: ReactNode) => <>accepted the risk until {date}</>;
export const attachedExploit = (name: string | undefined) => (
  <>
    attached the exploit <bdi>{name}</bdi>
  </>
);
export const changedIt = 'changed it';

export const commented = (actor: ReactNode, time: ReactNode) => (
  <>
    {actor} commented {time}
  </>
);
export const timeAndEdit = (time: ReactNode, edit: ReactNode) => (
  <>
    {time}, edited {edit}
  </>
);
export const edit = 'Edit';
export const editComment = 'Edit comment';
export const deleteItem = 'Delete';
export const deleteComment = 'Delete comment';
export const deleteThis = 'Delete this comment?';
export const cannotBeRestored = 'It cannot be restored.';
export const cancel = 'Cancel';
export const save = 'Save';

export const comment = 'Comment';
export const howToComment = 'Comment in Markdown, @ mentions a member';
export const sendKeys = 'Ctrl Enter';
export const membersToMention = (count: number) =>
  plural(count, { one: '# member to mention', other: '# members to mention' });
export const members = 'Members';
