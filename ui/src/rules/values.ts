import type { Finding } from '../findings/finding-queries.ts';
import { titleOf } from '../findings/title.ts';
import type { Rule, RuleActions, RuleConditions } from './queries.ts';

/** The longest pattern that the service accepts, in characters. */
const MAX_PATTERN = 256;
const MAX_NAME = 100;

/** The names of conditions, in the order of the form. */
export const CONDITIONS = [
  'project_id',
  'severity',
  'source',
  'rule_id',
  'persona',
  'title',
  'path',
  'cwe',
  'cve',
] as const satisfies (keyof RuleConditions)[];

export type Condition = (typeof CONDITIONS)[number];

/** The values of the form. Empty values are left out of the rule. */
export interface RuleValues extends Record<Condition, string[]> {
  name: string;
  status: NonNullable<RuleActions['status']> | '';
  reason: NonNullable<RuleActions['reason']> | '';
  note: string;
  assignee_id: string;
  due_days: number | string;
  /** Empty: the finding is never open again. */
  accept_days: number | string;
}

const NONE: RuleValues = {
  name: '',
  project_id: [],
  severity: [],
  source: [],
  rule_id: [],
  persona: [],
  title: [],
  path: [],
  cwe: [],
  cve: [],
  status: '',
  reason: '',
  note: '',
  assignee_id: '',
  due_days: '',
  accept_days: '',
};

/** The days of a new rule that accepts risks. */
export const ACCEPT_DAYS = 90;

export const valuesOf = (rule: Pick<Rule, 'name' | 'conditions' | 'actions'> | undefined): RuleValues => ({
  ...NONE,
  ...(rule && { name: rule.name, ...rule.conditions, ...rule.actions }),
});

/** Whether a rule that sets this status must have a reason. */
export const needsReason = (status: RuleValues['status']): status is 'false_positive' | 'wontfix' =>
  status === 'false_positive' || status === 'wontfix';

/** A rule for findings like this one, with the decision about it. As narrow as possible: the user widens it. */
export function valuesFrom(finding: Finding): RuleValues {
  const title = titleOf(finding.title);
  const folder = finding.file?.slice(0, finding.file.lastIndexOf('/') + 1) ?? '';
  const { status, reason } = finding;
  const isDecision = status === 'false_positive' || status === 'wontfix' || status === 'confirmed';
  return {
    ...NONE,
    name: title.slice(0, MAX_NAME),
    project_id: [finding.project_id],
    source: finding.source ? [finding.source] : [],
    ...(finding.rule_id ? { rule_id: [finding.rule_id] } : { title: [patternOf(finding.title)] }),
    path: folder && folder.length < MAX_PATTERN - 1 ? [`${folder}**`] : [],
    status: isDecision ? status : '',
    accept_days: status === 'wontfix' ? ACCEPT_DAYS : '',
    reason: (isDecision && reason) || '',
  };
}

const patternOf = (title: string) =>
  title.length > MAX_PATTERN ? `${title.slice(0, MAX_PATTERN - 1)}*` : title;

/** The conditions of the form; undefined if there is none. */
export function conditionsOf(values: RuleValues): RuleConditions | undefined {
  const given = CONDITIONS.filter((name) => values[name].length > 0).map((name) => [name, values[name]]);
  return given.length > 0 ? (Object.fromEntries(given) as RuleConditions) : undefined;
}

/** The actions of the form; undefined if there is none. */
export function actionsOf({
  status,
  reason,
  note,
  assignee_id,
  due_days,
  accept_days,
}: RuleValues): RuleActions | undefined {
  if (status === '' && assignee_id === '' && due_days === '') return undefined;
  return {
    ...(status !== '' && {
      status,
      ...(reason !== '' && { reason }),
      ...(note.trim() !== '' && { note: note.trim() }),
      ...(status === 'wontfix' && accept_days !== '' && { accept_days: Number(accept_days) }),
    }),
    ...(assignee_id !== '' && { assignee_id }),
    ...(due_days !== '' && { due_days: Number(due_days) }),
  };
}

/** The form's field of an error of the service, such as `path` of `conditions.path.0`. */
export const fieldOf = (field: string): string =>
  /^(?:conditions|actions)\.([a-z_]+)/.exec(field)?.[1] ?? field;
