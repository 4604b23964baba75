import { daysAfter } from '../policies/due-dates.ts';
import type { Projects } from '../projects/reach.ts';
import type { FindingStatus, RuleActions, RuleConditions, TriageReason } from '../schema/values.ts';
import { matches, pathPattern, pathText, type Text, titlePattern, titleText } from './patterns.ts';

/** An organization has at most as many. */
export const MAX_RULES = 100;

/** Characters in the patterns of all rules of an organization: a new finding is matched with all of them. */
export const MAX_PATTERNS = 10_000;

export const patternCharacters = ({ title = [], path = [] }: RuleConditions): number =>
  [...title, ...path].reduce((sum, { length }) => sum + length, 0);

export interface Rule {
  id: string;
  conditions: RuleConditions;
  actions: RuleActions;
  /** The projects where it assigns. Unset: all. */
  assignsIn?: Projects;
}

/** The fields of a finding that conditions are about. */
export interface Matchable {
  project_id: string;
  persona?: string | undefined;
  severity: string;
  title: string;
  source?: string | null | undefined;
  cwe?: string | null | undefined;
  cve?: string | null | undefined;
  rule_id?: string | null | undefined;
  file?: string | null | undefined;
}

const LISTS = ['project_id', 'source', 'persona', 'severity', 'cwe', 'cve', 'rule_id'] as const;

/** A finding that rules are compared with. Its texts are prepared for the first pattern. */
export interface Matched {
  finding: Matchable;
  /** The characters that are prepared at most. */
  steps: number;
  title(): Text;
  /** None for a finding without a file. */
  path(): Text | undefined;
}

export function toMatch(finding: Matchable): Matched {
  const { title, file } = finding;
  return {
    finding,
    steps: title.length + (file?.length ?? 0),
    title: once(() => titleText(title)),
    path: once(() => (typeof file === 'string' ? pathText(file) : undefined)),
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A rule that is ready to be matched. */
export interface CompiledRule extends Rule {
  matches(finding: Matched): boolean;
  /** The lists, and the characters of the patterns, that a match reads at most. */
  steps: number;
}

export function compileRule(rule: Rule): CompiledRule {
  const { title, path, ...conditions } = rule.conditions;
  const lists = LISTS.flatMap((name) => {
    const values = conditions[name];
    return values ? [{ name, values: new Set<string>(values) }] : [];
  });
  const titles = title?.map(titlePattern);
  const paths = path?.map(pathPattern);
  return {
    ...rule,
    steps: lists.length + patternCharacters(rule.conditions),
    matches: (matched) => {
      if (!lists.every(({ name, values }) => values.has(matched.finding[name] ?? ''))) return false;
      if (titles && !titles.some((pattern) => matches(pattern, matched.title()))) return false;
      if (!paths) return true;
      const text = matched.path();
      return text !== undefined && paths.some((pattern) => matches(pattern, text));
    },
  };
}

/** The first fields of a new finding that a rule decides. */
export interface RuledFields {
  decided_by?: string;
  first_status?: FindingStatus;
  first_reason?: TriageReason;
  first_resolved_at?: string;
  first_assignee?: string;
  first_accepted_until?: string;
  due_at?: string;
}

/** The actions of a rule in a project. */
export function actionsIn(
  { actions, assignsIn }: Pick<Rule, 'actions' | 'assignsIn'>,
  projectId: string,
): RuleActions {
  if (assignsIn === undefined || assignsIn.includes(projectId)) return actions;
  const { assignee_id: _, ...others } = actions;
  return others;
}

/**
 * The values that a rule sets in a finding of a project that was found at a time. None if it only assigns somebody who has left, or who
 * does not reach the project.
 */
export function fieldsOf(rule: Rule, projectId: string, at: Date): RuledFields {
  const { id } = rule;
  const { status, reason, assignee_id, due_days, accept_days } = actionsIn(rule, projectId);
  if (!status && !assignee_id && !due_days) return {};
  return {
    decided_by: id,
    ...(status && { first_status: status }),
    ...(status && reason && { first_reason: reason }),
    ...(status && status !== 'confirmed' && { first_resolved_at: at.toISOString() }),
    ...(assignee_id && { first_assignee: assignee_id }),
    ...(accept_days && { first_accepted_until: daysAfter(at, accept_days) }),
    ...(due_days && { due_at: daysAfter(at, due_days) }),
  };
}
