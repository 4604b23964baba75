import type { Severity } from '../../../finding.ts';
import { toStrings } from '../../../markdown.ts';
import { cweOf, severityOf, severityOfScore } from '../../../support.ts';
import type { Component, Result, Rule, Run } from './schema.ts';

/** Finds the rule of a result by index or id, in the driver or an extension. @returns an empty rule if none matches */
export function ruleOf(
  { ruleId, ruleIndex, rule }: Result,
  { tool }: Run,
): { component: Component; rule: Rule } {
  const extensions = tool.extensions ?? [];
  const { index: extensionIndex, name } = rule?.toolComponent ?? {};
  const component =
    extensions[extensionIndex ?? -1] ??
    extensions.find((extension) => name && extension.name === name) ??
    tool.driver;
  const id = ruleId ?? rule?.id;
  const indexed = component.rules?.[ruleIndex ?? rule?.index ?? -1];
  if (indexed && (!id || !indexed.id || matchesRule(id, indexed.id))) return { component, rule: indexed };
  for (const candidate of [component, tool.driver, ...extensions]) {
    const named = id && candidate.rules?.find((known) => known.id && matchesRule(id, known.id));
    if (named) return { component: candidate, rule: named };
  }
  return { component, rule: {} };
}

/** A result may refer to a part of a rule: `CA1000/1`. */
const matchesRule = (id: string, rule: string) => id === rule || id.startsWith(`${rule}/`);

export interface MessageText {
  text: string;
  markdown?: string | undefined;
}

export function messageOf({ message }: Result, rule: Rule, component: Component): MessageText {
  const { id, arguments: values } = message ?? {};
  const template =
    message?.text || !id ? message : (rule.messageStrings?.[id] ?? component.globalMessageStrings?.[id]);
  const fillIn = (value: string) =>
    values?.length
      ? value.replace(/\{\{|\}\}|\{(\d+)\}/g, (found, index) => values[Number(index)] ?? found.slice(0, 1))
      : value;
  return {
    text: fillIn(template?.text ?? ''),
    markdown: template?.markdown ? fillIn(template.markdown) : undefined,
  };
}

export function severityOfResult(
  { kind, level, properties }: Result,
  rule: Rule,
  defaultLevel: string,
): Severity {
  if (kind && ['pass', 'notApplicable', 'informational'].includes(kind)) return 'info';
  const levelOfKind = kind && kind !== 'fail' ? 'none' : rule.defaultConfiguration?.level;
  const byLevel = severityOf(level ?? levelOfKind ?? defaultLevel, 'medium');
  const securitySeverity = properties?.['security-severity'] ?? rule.properties?.['security-severity'];
  return Number(securitySeverity) > 0 && Number(securitySeverity) <= 10
    ? severityOfScore(Number(securitySeverity))
    : severityOf(toStrings(securitySeverity)[0], byLevel);
}

export function cweOfResult(result: Result, rule: Rule, tags: string[]): string | undefined {
  const references = [...(result.taxa ?? []), ...(rule.relationships ?? []).map(({ target }) => target)];
  const taxa = references
    .filter((taxon) => /cwe/i.test(`${taxon?.toolComponent?.name} ${taxon?.id}`))
    .map((taxon) => taxon?.id);
  const explicit = [...taxa, ...toStrings(rule.properties?.cwe), ...toStrings(result.properties?.cwe)];
  const mentioned = [...tags, result.message?.text, rule.shortDescription?.text].filter((value) =>
    /\bcwe[-_:/ ]*\d/i.test(value ?? ''),
  );
  return cweOf(...explicit, ...mentioned);
}
