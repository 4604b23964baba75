import { counted } from '../components/numbers.ts';
import { inSentence } from '../components/text/in-sentence.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../findings/Severity.tsx';
import { PERSONA_NAMES } from '../scans/persona.ts';
import { REASON_NAMES } from '../triage/texts.ts';
import type { RuleActions, RuleConditions } from './queries.ts';
import { CONDITIONS, type Condition } from './values.ts';

/** Names by id. */
export interface Names {
  projects: ReadonlyMap<string, string>;
  members: ReadonlyMap<string, string>;
}

const LABELS: Record<Condition, string> = {
  project_id: 'project',
  severity: 'severity',
  source: 'scanner',
  persona: 'kind of scan',
  title: 'title',
  path: 'file',
  cwe: 'CWE',
  cve: 'CVE',
};

const or = new Intl.ListFormat('en', { type: 'disjunction' });
const and = new Intl.ListFormat('en', { type: 'conjunction' });

/** The conditions in words, such as “severity is low or info and file matches src/test/*”. */
export function conditionsText(conditions: RuleConditions, { projects }: Names): string {
  const nameOf: Partial<Record<Condition, (value: string) => string>> = {
    project_id: (id) => projects.get(id) ?? 'a former project',
    severity: (value) => SEVERITY_NAMES[value as keyof typeof SEVERITY_NAMES].toLowerCase(),
    persona: (value) => PERSONA_NAMES[value as keyof typeof PERSONA_NAMES].toLowerCase(),
  };
  const parts = CONDITIONS.flatMap((name) => {
    const values: readonly string[] = conditions[name] ?? [];
    if (values.length === 0) return [];
    const isPattern = (name === 'title' || name === 'path') && values.some((value) => /[*?]/.test(value));
    return [
      `${LABELS[name]} ${isPattern ? 'matches' : 'is'} ${or.format(values.map((value) => inSentence(nameOf[name]?.(value) ?? value)))}`,
    ];
  });
  return and.format(parts);
}

/** The actions in words, such as “set to False positive (used in tests) and assign to Ada Lovelace”. */
export function actionsText(
  { status, reason, assignee_id, due_days }: RuleActions,
  { members }: Names,
): string {
  const why = reason ? ` (${REASON_NAMES[reason].toLowerCase()})` : '';
  return and.format(
    [
      status && `set to ${STATUS_NAMES[status]}${why}`,
      assignee_id && `assign to ${inSentence(members.get(assignee_id) ?? 'a former member')}`,
      due_days && `make it due ${counted(due_days, 'day')} after it is found`,
    ].filter((part) => typeof part === 'string'),
  );
}
