import type { ReactNode } from 'react';
import { plural, TAG } from './language.ts';

export const rules = 'Rules';
export const newRule = 'New rule';
export const editRule = 'Edit rule';
export const howRulesWork = 'The first enabled rule that matches decides about a new finding.';
export const noSuchRule = 'This rule does not exist';
export const mayBeDeleted = 'It may have been deleted.';
export const notAllowed = 'Your role does not allow this';
export const onlyRolesManage = (roles: string) => `Only ${roles} can see and change rules.`;
export const noRules = 'No rules yet';
export const whatRulesDo =
  'A rule sets the status, assignee or due date of new findings, for example of all findings in tests.';
export const enable = (name: string) => `Enable ${name}`;

const or = new Intl.ListFormat(TAG, { type: 'disjunction' });
const and = new Intl.ListFormat(TAG, { type: 'conjunction' });

const subjects = {
  project_id: 'project',
  severity: 'severity',
  source: 'scanner',
  rule_id: 'scanner rule',
  persona: 'kind of scan',
  title: 'title',
  path: 'file',
  cwe: 'CWE',
  cve: 'CVE',
};
/** Such as “severity is low or info”. */
export const condition = (subject: keyof typeof subjects, values: readonly string[], isPattern: boolean) =>
  isPattern
    ? `${subjects[subject]} matches ${or.format(values)}`
    : `${subjects[subject]} is ${or.format(values)}`;
/** A value of a condition, within a sentence. */
export const inSentence = (name: string) => name.toLowerCase();
export const formerProject = 'a former project';
export const all = (parts: readonly string[]) => and.format(parts);

export const setTo = (status: string, reason: string | undefined, days: number | undefined) =>
  [
    `set to ${status}`,
    days !== undefined && plural(days, { one: 'for # day', other: 'for # days' }),
    reason !== undefined && `(${reason})`,
  ]
    .filter(Boolean)
    .join(' ');
export const assignTo = (member: string) => `assign to ${member}`;
export const formerMember = 'a former member';
export const makeDue = (days: number) =>
  plural(days, { one: 'make it due # day after it is found', other: 'make it due # days after it is found' });

export const ifThen = (conditions: string, actions: string) => (
  <>
    If <bdi>{conditions}</bdi>: <bdi>{actions}</bdi>.
  </>
);

/** How many new findings the rule has decided about, and when it did so last. */
export const matched = (count: number, last: ReactNode) => (
  <>
    {plural(count, { one: '# new finding matched', other: '# new findings matched' })}, the last {last}
  </>
);
export const neverMatched = 'No new finding has matched';

export const actionsFor = (name: string) => `Actions for ${name}`;
export const edit = 'Edit';
export const applyToExisting = 'Apply to existing findings…';
export const undoItsChanges = 'Undo its changes…';
export const moveUp = 'Move up';
export const moveDown = 'Move down';
export const deleteItem = 'Delete';

export const hasChanged = (name: string, count: number) =>
  `“${name}” has changed ${plural(count, { one: '# finding', other: '# findings' })}.`;
export const noneMatches = (name: string) => `No open finding matches “${name}” now.`;
export const applyTo = (name: string, count: number): ReactNode => (
  <>
    Apply “<bdi>{name}</bdi>” to {plural(count, { one: '# finding', other: '# findings' })}?
  </>
);
export const apply = 'Apply';
export const andOthers = (count: number) => plural(count, { one: 'and # other', other: 'and # others' });

export const undoWhat = (name: string): ReactNode => (
  <>
    Undo what “<bdi>{name}</bdi>” has changed?
  </>
);
export const whatUndoDoes = (isEnabled: boolean) =>
  isEnabled
    ? 'Findings that nobody has changed since are as they would be without the rule. The rule stays enabled: disable it first if it should leave new findings alone.'
    : 'Findings that nobody has changed since are as they would be without the rule. The rule stays disabled.';
export const undoChanges = 'Undo changes';
export const restored = (count: number, kept: number) =>
  plural(count, { one: '# finding restored.', other: '# findings restored.' }) +
  (kept > 0
    ? ` ${plural(kept, { one: '# finding kept', other: '# findings kept' })}: changed by someone since.`
    : '');

export const deleteWhich = (name: string): ReactNode => (
  <>
    Delete “<bdi>{name}</bdi>”?
  </>
);
export const whatDeleteDoes =
  'Findings that it has changed stay as they are. To restore them, undo its changes before you delete it.';
export const deleteRule = 'Delete rule';
export const deleted = (name: string) => `“${name}” was deleted.`;
