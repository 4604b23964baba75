import { cweOf, severityOf, severityOfScore } from '../support.ts';
import { toStrings } from '../text/markdown.ts';
import { type StatedCvss, statedCvss } from './sarif-cvss.ts';
import type { Component, Reference, Result, Rule, Run } from './sarif-schema.ts';

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
    const exact = rules.get(id);
    if (exact) return exact;
    for (const candidate of prefixes(id)) {
      const found = rules.get(candidate);
      if (found) return found;
    }
    return undefined;
  };
  return ({ ruleId, ruleIndex, rule }) => {
    const component = componentOf(rule?.toolComponent, extensions) ?? tool.driver;
    const id = ruleId ?? rule?.id;
    const indexed =
      component.rules?.[ruleIndex ?? rule?.index ?? -1] ?? withGuid(component.rules, rule?.guid);
    if (indexed && (!id || !indexed.id || id === indexed.id || prefixes(id).includes(indexed.id)))
      return { component, rule: indexed };
    for (const candidate of [component, tool.driver, ...extensions]) {
      const found = id && named(candidate, id);
      if (found) return { component: candidate, rule: found };
    }
    return { component, rule: { relationships: [] } };
  };
}

/** The component that a reference names, by index, GUID or name. */
const componentOf = (
  reference: Reference['toolComponent'],
  components: readonly Component[],
): Component | undefined =>
  components[reference?.index ?? -1] ??
  withGuid(components, reference?.guid) ??
  components.find(({ name }) => name && name === reference?.name);

const withGuid = <Named extends { guid?: string | undefined }>(
  all: readonly Named[] | undefined,
  guid: string | undefined,
): Named | undefined => (guid ? all?.find((one) => one.guid === guid) : undefined);

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

/** How the properties of a result or its rule rate it, the most specific first. */
export interface Rated {
  severity: ReturnType<typeof severityOf>;
  cvss: StatedCvss | undefined;
}

/** Creates a function that rates the results of a run. @param defaultLevel the level of a result whose rule has none */
export function createRater(run: Run, defaultLevel: string) {
  const cvssOfRules = new Map<Rule, StatedCvss | undefined>();
  const cvssOfRule = (rule: Rule) => {
    if (!cvssOfRules.has(rule)) cvssOfRules.set(rule, statedCvss(rule.properties));
    return cvssOfRules.get(rule);
  };
  /** @param isRated whether the levels of the tool say anything */
  return (result: Result, found: FoundRule, isRated: boolean): Rated => {
    const { kind, level, properties } = result;
    const { rule } = found;
    const cvss = statedCvss(properties) ?? cvssOfRule(rule);
    if (kind === 'informational') return { severity: 'info', cvss };
    const levelOfRule = overriddenLevel(run, result, found) ?? rule.defaultConfiguration?.level;
    const levelOfKind = kind && kind !== 'fail' ? 'none' : levelOfRule;
    const byLevel = isRated ? severityOf(level ?? levelOfKind ?? defaultLevel, 'medium') : 'medium';
    const score = properties?.['security-severity'] ?? rule.properties?.['security-severity'];
    if (Number(score) > 0 && Number(score) <= 10)
      return { severity: severityOfScore(Number(score), 'medium'), cvss };
    // The words of the rule do not rate a result whose level differs from the rule's.
    const isRatedAsRule = level === undefined || levelOfRule === undefined || level === levelOfRule;
    const word =
      severityInWords(properties) ?? (isRatedAsRule ? severityInWords(rule.properties) : undefined);
    return { severity: severityOf(toStrings(score)[0], cvss?.severity ?? word ?? byLevel), cvss };
  };
}

/** The level that the invocation of a result gives its rule. */
function overriddenLevel(
  { invocations, tool }: Run,
  { provenance }: Result,
  { component, rule }: FoundRule,
): string | undefined {
  const invocation = invocations[provenance?.invocationIndex ?? -1];
  const overrides = (invocation ? [invocation] : invocations).flatMap(
    (one) => one.ruleConfigurationOverrides,
  );
  return overrides.find(({ descriptor, configuration }) => {
    if (!descriptor || configuration?.level === undefined) return false;
    const { id, index, guid, toolComponent } = descriptor;
    const named =
      componentOf(toolComponent, tool.extensions ?? []) ??
      (toolComponent?.index === undefined ? tool.driver : undefined);
    if (named !== component) return false;
    if (guid) return guid === rule.guid;
    return id ? id === rule.id : index !== undefined && component.rules?.[index] === rule;
  })?.configuration?.level;
}

/** A severity in properties such as `issue_severity`, or among tags: the levels of gosec are “error” for both high and medium. */
function severityInWords(properties: Rule['properties']): Rated['severity'] | undefined {
  // The `sub-severity` of CodeQL ranks results of one severity.
  const named = Object.entries(properties ?? {}).filter(([name]) => /^(?:issue_?)?severity$/i.test(name));
  for (const values of [named.flatMap(([, value]) => toStrings(value)), toStrings(properties?.tags)]) {
    const words = values.filter((value) => /^(?:critical|high|medium|moderate|low)$/i.test(value));
    if (words.length === 1) return severityOf(words[0]);
  }
  return undefined;
}

export function cweOfResult(result: Result, rule: Rule, run: Run, tags: string[]): string | undefined {
  const references = [...result.taxa, ...rule.relationships.map(({ target }) => target)];
  const taxa = references.flatMap((reference) => {
    const { toolComponent, id, index, guid } = reference ?? {};
    const taxonomy = componentOf(toolComponent, run.taxonomies ?? []);
    const taxon = taxonomy?.taxa?.[index ?? -1] ?? withGuid(taxonomy?.taxa, guid);
    const found = id ?? taxon?.id;
    return /cwe/i.test(`${taxonomy?.name ?? toolComponent?.name} ${found}`) ? [found] : [];
  });
  const explicit = [...taxa, ...toStrings(rule.properties?.cwe), ...toStrings(result.properties?.cwe)];
  const mentioned = [...tags, result.message?.text, rule.shortDescription?.text].filter((value) =>
    /\bcwe[-_:/ ]*\d/i.test(value ?? ''),
  );
  return cweOf(...explicit, ...mentioned);
}
