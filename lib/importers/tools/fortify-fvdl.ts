import { z } from 'zod';
import type { Severity } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Report, readList } from '../importer.ts';
import type { CodeFinding, Step } from '../kinds/code.ts';
import { fields, list, number, objects, requiredText, text } from '../read/schema.ts';
import { elementAt, elements } from '../read/values.ts';
import { cweOf, isInWorkspace, relativePath } from '../support.ts';
import { htmlToMarkdown } from '../text/html.ts';
import { joined } from '../text/markdown.ts';

const Group = z.object({ '@_name': requiredText, '#text': text });
const MetaInfo = objects({ Group: list(Group) });

const Location = z.object({ '@_path': text, '@_line': number, '@_lineEnd': number, '@_snippet': text });

const Node = z.object({
  ...fields(text, '@_id', '@_label', '@_isDefault', 'Action'),
  SourceLocation: list(Location),
});
type Node = z.output<typeof Node>;

const Entry = z.object({ Node: list(Node), NodeRef: objects({ '@_id': text }) });
const Definition = z.object({ '@_key': requiredText, '@_value': text });

const Unified = z.object({
  Context: objects({ Function: objects({ '@_name': text, '@_enclosingClass': text }) }),
  ReplacementDefinitions: objects({ Def: list(Definition) }),
  Trace: objects({ Primary: objects({ Entry: list(Entry) }) }),
});

const Vulnerability = z.object({
  ClassInfo: z.tuple([
    z.object({ ClassID: text, Kingdom: text, Type: requiredText, Subtype: text, DefaultSeverity: number }),
  ]),
  InstanceInfo: z.tuple([
    z.object({ InstanceID: text, InstanceSeverity: number, Confidence: number, MetaInfo }),
  ]),
  AnalysisInfo: objects({ Unified: list(Unified) }),
});

const Description = z.object({
  '@_classID': requiredText,
  ...fields(text, 'Abstract', 'Explanation', 'Recommendations'),
});
type Description = z.output<typeof Description>;

const Rule = z.object({ '@_id': requiredText, MetaInfo });
const Snippet = z.object({ '@_id': requiredText, Text: text });

/** The vulnerabilities of a scan. @param decisions why issues are not problems, by instance id */
export function readFvdl(
  report: Report,
  decisions: ReadonlyMap<string, string>,
  context: ImportContext,
): CodeFinding[] {
  const scan = elementAt(report.kind === 'xml' ? report.document : undefined, 'FVDL');
  const engine = elementAt(scan, 'EngineData');
  for (const error of elements(engine, 'Errors', 'Error'))
    context.error(`Fortify failed: ${text.parse(error) ?? text.parse(error['@_code']) ?? 'no reason given'}`);
  const known = {
    descriptions: byId(Description, elements(scan, 'Description'), '@_classID'),
    rules: byId(Rule, elements(engine, 'RuleInfo', 'Rule'), '@_id'),
    snippets: byId(Snippet, elements(scan, 'Snippets', 'Snippet'), '@_id'),
    nodes: new Map(
      list(Node)
        .parse(elements(scan, 'UnifiedNodePool', 'Node'))
        .map((node) => [node['@_id'] ?? '', node]),
    ),
    base: text.parse(elementAt(scan, 'Build')?.SourceBasePath),
  };
  const listed = elements(scan, 'Vulnerabilities', 'Vulnerability');
  return readList(Vulnerability, listed, 'Vulnerability', context).flatMap((vulnerability) => {
    const [{ InstanceID: id }] = vulnerability.InstanceInfo;
    const decision = decisions.get(id ?? '');
    if (decision) context.skip(decision);
    return decision ? [] : [findingOf(vulnerability, known, context)];
  });
}

interface Known {
  descriptions: Map<string, Description>;
  rules: Map<string, z.output<typeof Rule>>;
  snippets: Map<string, z.output<typeof Snippet>>;
  nodes: Map<string, Node>;
  base: string | undefined;
}

function findingOf(
  vulnerability: z.output<typeof Vulnerability>,
  known: Known,
  context: ImportContext,
): CodeFinding {
  const [kind] = vulnerability.ClassInfo;
  const [instance] = vulnerability.InstanceInfo;
  const unified = vulnerability.AnalysisInfo[0]?.Unified[0];
  const category = joined([kind.Type, kind.Subtype], ': ');
  const entries = unified?.Trace[0]?.Primary[0]?.Entry ?? [];
  const nodes = entries.flatMap(({ Node: own, NodeRef: refs }) => [
    ...own,
    ...refs.flatMap((ref) => known.nodes.get(ref['@_id'] ?? '') ?? []),
  ]);
  const place = (nodes.find((node) => node['@_isDefault'] === 'true') ?? nodes.at(-1))?.SourceLocation[0];
  const fileOf = (path: string | undefined) => pathOf(path, known.base, context);
  const values = new Map(
    unified?.ReplacementDefinitions.flatMap(
      ({ Def }) => Def.map((one) => [one['@_key'], one['@_value'] ?? '']) as [string, string][],
    ),
  );
  const groups = groupsOf(known.rules.get(kind.ClassID ?? '')?.MetaInfo, instance.MetaInfo);
  const description = known.descriptions.get(kind.ClassID ?? '');
  const text = (part: keyof Description) => htmlToMarkdown(fill(description?.[part], values));
  const [scope] = unified?.Context[0]?.Function ?? [];
  const id = instance.InstanceID;
  return {
    entries: [vulnerability],
    title: category,
    rule_id: category,
    severity: priorityOf(groups, instance.Confidence, instance.InstanceSeverity ?? kind.DefaultSeverity),
    identity: [kind.ClassID, category],
    identify: id ? () => fingerprintOf('fortify', id) : undefined,
    rule: [category],
    file: fileOf(place?.['@_path']),
    line: place?.['@_line'],
    endLine: place?.['@_lineEnd'],
    snippet: known.snippets.get(place?.['@_snippet'] ?? '')?.Text,
    flows: [
      nodes.map((node): Step => {
        const [at] = node.SourceLocation;
        return { file: fileOf(at?.['@_path']), line: at?.['@_line'], what: node['@_label'] ?? node.Action };
      }),
    ],
    describe: {
      what: text('Abstract') || category,
      facts: {
        Kingdom: kind.Kingdom,
        Function: joined([scope?.['@_enclosingClass'], scope?.['@_name']], '.'),
      },
      fix: text('Recommendations'),
      help: text('Explanation'),
    },
    cwe: cweOf(/\bCWE ID (\d+)/.exec(groups.get('altcategoryCWE') ?? '')?.[1]),
  };
}

/** A path relative to the workspace. Fortify has paths relative to the base of the source code. */
function pathOf(path: string | undefined, base: string | undefined, context: ImportContext) {
  if (!path) return undefined;
  const isAbsolute = /^(?:[a-z]:)?[\\/]/i.test(path);
  return relativePath(!isAbsolute && isInWorkspace(base, context) ? `${base}/${path}` : path, context);
}

function groupsOf(...infos: (z.output<typeof MetaInfo> | undefined)[]): Map<string, string> {
  const groups = infos.flatMap((info) => info?.flatMap(({ Group }) => Group) ?? []);
  return new Map(groups.flatMap((group) => (group['#text'] ? [[group['@_name'], group['#text']]] : [])));
}

/** The Fortify priority order: impact and likelihood are high from 2.5 of 5. */
function priorityOf(
  groups: ReadonlyMap<string, string>,
  confidence: number | undefined,
  severity: number | undefined,
): Severity {
  const [impact, accuracy, probability] = ['Impact', 'Accuracy', 'Probability'].map((name) =>
    Number(groups.get(name) ?? Number.NaN),
  ) as [number, number, number];
  const likelihood = (accuracy * (confidence ?? Number.NaN) * probability) / 25;
  if (Number.isNaN(impact) || Number.isNaN(likelihood)) return severityOfScale(severity);
  if (impact >= 2.5) return likelihood >= 2.5 ? 'critical' : 'high';
  return likelihood >= 2.5 ? 'medium' : 'low';
}

/** A severity of 0 to 5, if the scan has no ratings of its rules. */
function severityOfScale(severity = 3): Severity {
  if (severity >= 5) return 'critical';
  if (severity >= 4) return 'high';
  if (severity >= 3) return 'medium';
  return severity > 0 ? 'low' : 'info';
}

/** Fills in the names of a description: `<Replace key="SinkFunction"/>`. Blank lines are paragraphs. */
const fill = (html: string | undefined, values: ReadonlyMap<string, string>): string | undefined =>
  html
    ?.replace(/<Replace\s([^<>]*)>/g, (all, attributes: string) => {
      const key = /key="([^"]*)"/.exec(attributes)?.[1];
      return key === undefined
        ? all
        : (values.get(key) ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    })
    .replace(/\n[ \t]*\n/g, '<br/><p>');

function byId<S extends z.ZodType>(schema: S, values: unknown, name: string): Map<string, z.output<S>> {
  return new Map(
    list(schema)
      .parse(values)
      .map((value) => [(value as Record<string, string>)[name] ?? '', value as z.output<S>]),
  );
}
