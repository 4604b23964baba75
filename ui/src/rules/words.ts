import * as text from '#strings/rules.tsx';
import { reasonInSentence } from '#strings/triage.tsx';
import { inSentence } from '../components/text/in-sentence.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../findings/Severity.tsx';
import { PERSONA_NAMES } from '../scans/persona.ts';
import type { RuleActions, RuleConditions } from './queries.ts';
import { CONDITIONS, type Condition } from './values.ts';

/** Names by id. */
export interface Names {
  projects: ReadonlyMap<string, string>;
  members: ReadonlyMap<string, string>;
}

/** The conditions in words, such as “severity is low or info and file matches src/test/*”. */
export function conditionsText(conditions: RuleConditions, { projects }: Names): string {
  const nameOf: Partial<Record<Condition, (value: string) => string>> = {
    project_id: (id) => projects.get(id) ?? text.formerProject,
    severity: (value) => text.inSentence(SEVERITY_NAMES[value as keyof typeof SEVERITY_NAMES]),
    persona: (value) => text.inSentence(PERSONA_NAMES[value as keyof typeof PERSONA_NAMES]),
  };
  const parts = CONDITIONS.flatMap((name) => {
    const values: readonly string[] = conditions[name] ?? [];
    if (values.length === 0) return [];
    const isPattern = (name === 'title' || name === 'path') && values.some((value) => /[*?]/.test(value));
    const shown = values.map((value) => inSentence(nameOf[name]?.(value) ?? value));
    return [text.condition(name, shown, isPattern)];
  });
  return text.all(parts);
}

/** The actions in words, such as “set to False positive (used in tests) and assign to Ada Lovelace”. */
export function actionsText(
  { status, reason, assignee_id, due_days }: RuleActions,
  { members }: Names,
): string {
  return text.all(
    [
      status && text.setTo(STATUS_NAMES[status], reason && reasonInSentence(reason)),
      assignee_id && text.assignTo(inSentence(members.get(assignee_id) ?? text.formerMember)),
      due_days && text.makeDue(due_days),
    ].filter((part) => typeof part === 'string'),
  );
}
