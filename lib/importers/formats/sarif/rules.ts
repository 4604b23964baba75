import type { Severity } from '../../finding.ts';
import { texts } from '../../markdown.ts';
import { cweOf, severityOf, severityOfScore } from '../../support.ts';
import type { Component, Result, Rule, Run } from './schema.ts';

/** The rule of a result, or an empty one: by index or id, in the driver or an extension. */
export function ruleOf(
  { ruleId, ruleIndex, rule }: Result,
  { tool }: Run,
): { component: Component; rule: Rule } {
  const extensions = tool.extensions ?? [];
  const { index: at, name } = rule?.toolComponent ?? {};
  const component =
    extensions[at ?? -1] ?? extensions.find((extension) => name && extension.name === name) ?? tool.driver;
  const id = ruleId ?? rule?.id;
  const indexed = component.rules?.[ruleIndex ?? rule?.index ?? -1];
  if (indexed && (!id || !indexed.id || isOf(id, indexed.id))) return { component, rule: indexed };
  for (const candidate of [component, tool.driver, ...extensions]) {
    const named = id && candidate.rules?.find((known) => known.id && isOf(id, known.id));
    if (named) return { component: candidate, rule: named };
  }
  return { component, rule: {} };
}

/** A result may be of a part of a rule: `CA1000/1`. */
const isOf = (id: string, rule: string) => id === rule || id.startsWith(`${rule}/`);

/** What a result says. */
export interface Said {
  text: string;
  markdown?: string | undefined;
}

export function messageOf({ message }: Result, rule: Rule, component: Component): Said {
  const { id, arguments: values } = message ?? {};
  const template =
    message?.text || !id ? message : (rule.messageStrings?.[id] ?? component.globalMessageStrings?.[id]);
  const filled = (value: string) =>
    values?.length
      ? value.replace(/\{\{|\}\}|\{(\d+)\}/g, (found, index) => values[Number(index)] ?? found.slice(0, 1))
      : value;
  return {
    text: filled(template?.text ?? ''),
    markdown: template?.markdown ? filled(template.markdown) : undefined,
  };
}

export function severityIn({ kind, level, properties }: Result, rule: Rule, otherwise: string): Severity {
  if (kind && ['pass', 'notApplicable', 'informational'].includes(kind)) return 'info';
  const without = kind && kind !== 'fail' ? 'none' : rule.defaultConfiguration?.level;
  const byLevel = severityOf(level ?? without ?? otherwise, 'medium');
  const given = properties?.['security-severity'] ?? rule.properties?.['security-severity'];
  return Number(given) > 0 && Number(given) <= 10
    ? severityOfScore(Number(given))
    : severityOf(texts(given)[0], byLevel);
}

export function weaknessOf(result: Result, rule: Rule, tags: string[]): string | undefined {
  const references = [...(result.taxa ?? []), ...(rule.relationships ?? []).map(({ target }) => target)];
  const taxa = references
    .filter((taxon) => /cwe/i.test(`${taxon?.toolComponent?.name} ${taxon?.id}`))
    .map((taxon) => taxon?.id);
  const named = [...taxa, ...texts(rule.properties?.cwe), ...texts(result.properties?.cwe)];
  const written = [...tags, result.message?.text, rule.shortDescription?.text].filter((value) =>
    /\bcwe[-_:/ ]*\d/i.test(value ?? ''),
  );
  return cweOf(...named, ...written);
}
