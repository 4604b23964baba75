import type { Rating } from '../finding.ts';
import { cweOf, severityOf, severityOfScore } from '../support.ts';
import { toStrings } from '../text/markdown.ts';
import type { Component, Result, Rule, Run } from './sarif-schema.ts';

export interface FoundRule {
  component: Component;
  rule: Rule;
}

/**
 * Creates a function that finds the rule of a result by index or id, in the driver or an extension. It returns an empty rule
 * if none matches.
 */
export function createRuleFinder({ tool }: Run): (result: Result) => FoundRule {
  const extensions = tool.extensions ?? [];
  const byId = new Map<Component, Map<string, Rule>>();
  const named = (component: Component, id: string): Rule | undefined => {
    let rules = byId.get(component);
    if (!rules) {
      rules = new Map((component.rules ?? []).toReversed().map((rule) => [rule.id ?? '', rule]));
      byId.set(component, rules);
    }
    for (const candidate of prefixes(id)) {
      const found = rules.get(candidate);
      if (found) return found;
    }
    return undefined;
  };
  return ({ ruleId, ruleIndex, rule }) => {
    const { index: extensionIndex, name } = rule?.toolComponent ?? {};
    const component =
      extensions[extensionIndex ?? -1] ??
      extensions.find((extension) => name && extension.name === name) ??
      tool.driver;
    const id = ruleId ?? rule?.id;
    const indexed = component.rules?.[ruleIndex ?? rule?.index ?? -1];
    if (indexed && (!id || !indexed.id || prefixes(id).includes(indexed.id)))
      return { component, rule: indexed };
    for (const candidate of [component, tool.driver, ...extensions]) {
      const found = id && named(candidate, id);
      if (found) return { component: candidate, rule: found };
    }
    return { component, rule: { relationships: [] } };
  };
}

/** A result may refer to a part of a rule: `CA1000/1`. Longest first. */
const prefixes = (id: string): string[] => {
  const parts = id.split('/', 8);
  return id.split('/').length > 8
    ? [id]
    : parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
};

export interface MessageText {
  text: string;
  markdown?: string | undefined;
}

export function messageOf({ message }: Result, rule: Rule, component: Component): MessageText {
  const { id, arguments: values = [] } = message ?? {};
  const template =
    message?.text || !id ? message : (rule.messageStrings?.[id] ?? component.globalMessageStrings?.[id]);
  const fillIn = (value: string) =>
    values.length > 0
      ? value.replace(/\{\{|\}\}|\{(\d+)\}/g, (found, index) => values[Number(index)] ?? found.slice(0, 1))
      : value;
  return {
    text: fillIn(template?.text ?? ''),
    markdown: template?.markdown ? fillIn(template.markdown) : undefined,
  };
}

/** Kinds of results that are no problems: the rule was checked and holds, or does not apply. */
export const isPassed = ({ kind }: Result): boolean => kind === 'pass' || kind === 'notApplicable';

export function severityOfResult(
  { kind, level, properties }: Result,
  rule: Rule,
  { defaultLevel, isRated }: { defaultLevel: string; isRated: boolean },
): Rating {
  if (kind === 'informational') return 'info';
  const levelOfRule = rule.defaultConfiguration?.level;
  const levelOfKind = kind && kind !== 'fail' ? 'none' : levelOfRule;
  const byLevel = isRated ? severityOf(level ?? levelOfKind ?? defaultLevel, 'medium') : 'medium';
  const securitySeverity = properties?.['security-severity'] ?? rule.properties?.['security-severity'];
  if (Number(securitySeverity) > 0 && Number(securitySeverity) <= 10)
    return severityOfScore(Number(securitySeverity), 'medium');
  // The tags of the rule do not rate a result whose level differs from the rule's.
  const isRatedAsRule = level === undefined || levelOfRule === undefined || level === levelOfRule;
  const tagged =
    severityOfTags(toStrings(properties?.tags)) ??
    (isRatedAsRule ? severityOfTags(toStrings(rule.properties?.tags)) : undefined);
  return severityOf(toStrings(securitySeverity)[0], tagged ?? byLevel);
}

/** A severity among tags, as gosec writes it: its levels are “error” for both high and medium. */
function severityOfTags(tags: string[]): Rating | undefined {
  const words = tags.filter((tag) => /^(?:critical|high|medium|low)$/i.test(tag));
  return words.length === 1 ? severityOf(words[0]) : undefined;
}

export function cweOfResult(result: Result, rule: Rule, tags: string[]): string | undefined {
  const references = [...result.taxa, ...rule.relationships.map(({ target }) => target)];
  const taxa = references
    .filter((taxon) => /cwe/i.test(`${taxon?.toolComponent?.name} ${taxon?.id}`))
    .map((taxon) => taxon?.id);
  const explicit = [...taxa, ...toStrings(rule.properties?.cwe), ...toStrings(result.properties?.cwe)];
  const mentioned = [...tags, result.message?.text, rule.shortDescription?.text].filter((value) =>
    /\bcwe[-_:/ ]*\d/i.test(value ?? ''),
  );
  return cweOf(...explicit, ...mentioned);
}
