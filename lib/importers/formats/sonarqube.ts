import { z } from 'zod';
import type { Rating } from '../finding.ts';
import { type ImportContext, type Importer, open, type Report, read, readAt, readList } from '../importer.ts';
import { codeResults } from '../kinds/code.ts';
import { documentOf, documentsOf, hasKind } from '../read/report.ts';
import { fields, list, number, object, objects, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf, cweOf, firstRated, relativePath, severityIn } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { htmlToMarkdown, htmlToText } from '../text/html.ts';
import { escapeMarkdown, joined } from '../text/markdown.ts';

const Place = z.object({ component: text, textRange: object({ startLine: number }), msg: text });

const Issue = z.object({
  ...fields(text, 'key', 'ruleKey', 'severity', 'vulnerabilityProbability', 'securityCategory', 'project'),
  ...fields(text, 'hash', 'status', 'issueStatus', 'resolution', 'message', 'description', 'type'),
  /** `ruleKey` of a hotspot. */
  rule: text,
  impacts: objects({ softwareQuality: text, severity: requiredText }),
  component: requiredText,
  line: number,
  textRange: object({ startLine: number, endLine: number, startOffset: number }),
  flows: objects({ locations: list(Place) }),
  tags: texts,
});
type Issue = z.output<typeof Issue>;

const Rule = z.object({ name: text, htmlDesc: text });

/** `/api/issues/search`, `/api/hotspots/search`, and the JSON of sonar-report. */
export const sonarqube: Importer = {
  name: 'sonarqube',
  about: {
    tool: '[SonarQube](https://docs.sonarsource.com/sonarqube-server/), SonarCloud',
    command:
      '`curl -u TOKEN: "https://…/api/issues/search?components=KEY&resolved=false&ps=500&p=1"`, and `/api/hotspots/search?project=KEY`',
    versions: 'the API names no version: answers of 2018 to 2024, and the JSON of sonar-report',
    identity: 'rule, file, checksum of the line; the project if the report has several',
    severity: '`severity`, impact on security, or `vulnerabilityProbability`',
  },

  detects(report) {
    const { issues, hotspots } = listsOf(report);
    const document = documentOf(report);
    if (hotspots) return isEnvelope(document) || isObject(hotspots[0]);
    if (!issues) return false;
    const [first] = issues;
    if (first === undefined) return isEnvelope(document);
    return ['component', 'message'].every((name) => property(first, name) !== undefined) && hasRule(first);
  },

  results(report, context) {
    const issues = documentsOf(report).flatMap((document) => readDocument(document, context));
    warnOfMissingPages(report, issues.length, context);
    const rules = rulesOf(report);
    // Projects have files of the same path.
    const projects = new Set(issues.map(({ project }) => project));
    return codeResults(
      'sonarqube',
      open(issues, closedBecause, context).map((issue) => {
        const rule = issue.rule ?? issue.ruleKey ?? '';
        const known = rules.get(rule);
        const message = maskCredentials(issue.message ?? known?.name ?? rule);
        const { startLine, endLine, startOffset: column } = issue.textRange ?? {};
        const fileOf = (component: string | undefined) => pathOf(component, issue.project, context);
        return {
          entries: [issue],
          title: message || issue.description || rule,
          rule_id: rule,
          severity: severityOfIssue(issue),
          identity: [rule, ...(projects.size > 1 ? [issue.project] : [])],
          rule: [rule, known?.name, issue.securityCategory, message],
          file: fileOf(issue.component),
          line: issue.line ?? startLine,
          endLine,
          column,
          // The checksum of the line stays the same when it moves.
          code: issue.hash && `hash ${issue.hash}`,
          snippet: '',
          flows: issue.flows.map(({ locations }) =>
            locations.toReversed().map(({ component, textRange, msg }) => ({
              file: fileOf(component ?? issue.component),
              line: textRange?.startLine,
              what: msg,
            })),
          ),
          describe: {
            what: escapeMarkdown(message),
            facts: {
              Rule: joined([rule, known?.name], ': '),
              Project: projects.size > 1 ? issue.project : undefined,
              Type: issue.type ?? issue.securityCategory,
              Status: issue.issueStatus ?? issue.status,
              Tags: issue.tags.join(', '),
            },
            help: htmlToMarkdown(known?.htmlDesc),
          },
          cwe: cweIn(
            issue.message,
            ...issue.tags.filter((tag) => tag !== 'cwe-937'),
            htmlToText(known?.htmlDesc),
          ),
          cve: cveOf(issue.message),
        };
      }),
      context,
    );
  },
};

/** The lists of the first document. A list alone is one of issues. */
function listsOf(report: Report): { issues?: unknown[]; hotspots?: unknown[] } {
  const document = documentOf(report);
  const issues = Array.isArray(document) ? document : property(document, 'issues');
  const hotspots = property(document, 'hotspots');
  return {
    ...(Array.isArray(issues) && (!Array.isArray(document) || document.length > 0) && { issues }),
    ...(Array.isArray(hotspots) && { hotspots }),
  };
}

/** Whether a document without issues is one of SonarQube. */
const isEnvelope = (document: unknown) =>
  hasKind(document, { sonarBaseURL: 'value' }) || hasKind(document, { paging: 'object' });

const hasRule = (issue: unknown) =>
  typeof property(issue, 'rule') === 'string' &&
  ['textRange', 'debt', 'effort', 'hash', 'key'].some((name) => property(issue, name) !== undefined);

function readDocument(document: unknown, context: ImportContext): Issue[] {
  if (Array.isArray(document)) return readList(Issue, document, '', context);
  return [...readAt(Issue, document, 'issues', context), ...readAt(Issue, document, 'hotspots', context)];
}

/** The API returns at most 500 issues at once. */
function warnOfMissingPages(report: Report, found: number, context: ImportContext) {
  const totals = documentsOf(report).map((document) => {
    const { total } = read(z.object({ total: number }), property(document, 'paging') ?? {}, 'paging');
    return total ?? 0;
  });
  const total = Math.max(0, ...totals);
  if (total > found)
    context.error(`The report has ${found} of ${total} issues: add the next pages (p=2) to the file`);
}

function rulesOf(report: Report): Map<string, z.output<typeof Rule>> {
  const document = documentOf(report);
  const rules = property(document, 'rules');
  const listed = Array.isArray(rules)
    ? rules.map((rule) => [String(property(rule, 'key')), rule] as const)
    : isObject(rules)
      ? Object.entries(rules)
      : [];
  return new Map(listed.flatMap(([key, rule]) => (isObject(rule) ? [[key, Rule.parse(rule)]] : [])));
}

const CLOSED = new Map([
  ['FALSE-POSITIVE', 'they are resolved as false positives'],
  ['FALSE_POSITIVE', 'they are resolved as false positives'],
  ['WONTFIX', 'they are resolved as accepted'],
  ['ACCEPTED', 'they are resolved as accepted'],
  ['FIXED', 'they are fixed'],
  ['REMOVED', 'they are fixed'],
  ['SAFE', 'they are reviewed as safe'],
  ['CLOSED', 'they are closed'],
  ['RESOLVED', 'they are closed'],
]);

/** Why an issue is not open. A hotspot that is acknowledged is. */
const closedBecause = ({ resolution, issueStatus, status }: Issue): string | undefined =>
  [resolution, issueStatus, status].map((word) => CLOSED.get(word?.toUpperCase() ?? '')).find(Boolean);

/** SonarQube has five severities; `critical` is the second. */
const SEVERITIES = { blocker: 'critical', critical: 'high', major: 'medium', minor: 'low' } as const;

function severityOfIssue({ severity, impacts, vulnerabilityProbability }: Issue): Rating {
  const impact = impacts.find(({ softwareQuality }) => softwareQuality === 'SECURITY') ?? impacts[0];
  return severityIn(SEVERITIES, firstRated(severity, impact?.severity, vulnerabilityProbability));
}

/** The path of a component: `project:src/main.ts`. */
function pathOf(component: string | undefined, project: string | undefined, context: ImportContext) {
  if (component === undefined || component === project) return undefined;
  const path =
    project && component.startsWith(`${project}:`) ? component.slice(project.length + 1) : component;
  return relativePath(path.replace(/^[^/]*:(?=[^/\\])/, ''), context);
}

const cweIn = (...candidates: (string | undefined)[]) =>
  cweOf(...candidates.map((candidate) => /\bCWE-\d+/i.exec(candidate ?? '')?.[0]));
