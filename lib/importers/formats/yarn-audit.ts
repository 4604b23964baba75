import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
} from '../importer.ts';
import { vulnerabilityResult } from '../kinds/dependency.ts';
import { documentOf, documentsOf } from '../read/report.ts';
import { anything, fields, object, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { relativePath, severityOf } from '../support.ts';
import { codeBlock, escapeMarkdown } from '../text/markdown.ts';
import {
  advisoriesIn,
  advisoryId,
  advisoryResult,
  hasAdvisories,
  RegistryAdvisory,
} from '../tools/registry-advisory.ts';

const Event = z.object({ type: requiredText, data: anything });

const Resolved = z.object({
  resolution: object({ path: text }),
  advisory: RegistryAdvisory,
});

/** A line of Yarn 4. */
const Issue = z.object({
  value: requiredText,
  children: z.object({
    ...fields(text, 'ID', 'Issue', 'URL', 'Severity', 'Vulnerable Versions'),
    'Tree Versions': texts,
    Dependents: texts,
  }),
});

/** `yarn audit --json` of Yarn 1, and `yarn npm audit --json` of later versions: a finding for each advisory. */
export const yarnAudit: Importer = {
  name: 'yarn-audit',
  about: {
    tool: '[Yarn audit](https://yarnpkg.com/cli/npm/audit)',
    command:
      '`yarn audit --json > report.json`, since Yarn 2 `yarn npm audit --recursive --json > report.json`. The layout of Yarn 2 and 3 is the one of npm 6: set `--format yarn-audit`',
    versions: '1, and both layouts of later versions',
    identity: 'lock file, package, advisory',
  },

  // Yarn 4 writes nothing if it finds nothing.
  acceptsEmptyReport: true,

  detects: (report) => isEventStream(report) || isIssueList(report),

  results(report, context) {
    const documents = documentsOf(report);
    const file = relativePath('yarn.lock', context);
    const [first] = documents;
    if (hasAdvisories(first)) {
      return readList(RegistryAdvisory, advisoriesIn(first), 'advisories', context).map((advisory) =>
        advisoryResult(
          'yarn-audit',
          advisory,
          file,
          advisory.findings.flatMap(({ paths }) => paths),
        ),
      );
    }
    if (isIssueList(report))
      return readList(Issue, documents, '', context).map((issue) => toResult(issue, file));
    if (!isEventStream(report)) throw new ReportError('The report was not written by yarn audit');
    return fromEvents(documents, file, context);
  },
};

const EVENTS = new Set(['auditAdvisory', 'auditSummary', 'auditAction', 'error', 'warning', 'info']);

/** Yarn 1 writes a line for each event. */
function isEventStream(report: Report): boolean {
  const documents = documentsOf(report);
  return (
    documents.length > 0 &&
    documents.every((document) => {
      const type = property(document, 'type');
      const data = property(document, 'data');
      if (typeof type !== 'string' || !EVENTS.has(type)) return false;
      return type.startsWith('audit') ? isObject(data) : typeof data === 'string';
    })
  );
}

/** Yarn 4 writes a line for each problem of a package. */
function isIssueList(report: Report): boolean {
  const first = documentOf(report);
  const children = property(first, 'children');
  return typeof property(first, 'value') === 'string' && isObject(children) && 'Issue' in children;
}

function fromEvents(documents: unknown[], file: string | undefined, context: ImportContext): Result[] {
  const events = readList(Event, documents, '', context);
  const failures = events.filter(({ type }) => type === 'error').map(({ data }) => String(data));
  if (!events.some(({ type }) => type.startsWith('audit')) && failures.length > 0)
    throw new ReportError(`yarn audit failed: ${failures[0]}`);
  for (const failure of failures) context.error(failure);
  for (const { type, data } of events) {
    if (type === 'warning') context.warn(String(data));
    if (type === 'info' && /no lockfile/i.test(String(data))) context.error(String(data));
  }
  const entries = readList(
    Resolved,
    events.filter(({ type }) => type === 'auditAdvisory').map(({ data }) => data),
    'data',
    context,
  );
  // An advisory is repeated for each path to the package.
  const groups = new Map<string, z.output<typeof Resolved>[]>();
  for (const entry of entries) {
    const key = `${entry.advisory.module_name} ${advisoryId(entry.advisory)}`;
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const paths = group.flatMap(({ resolution, advisory }) => [
      resolution?.path ?? [],
      advisory.findings.flatMap(({ paths }) => paths),
    ]);
    const findings = group.flatMap(({ advisory }) => advisory.findings);
    return first ? [advisoryResult('yarn-audit', { ...first.advisory, findings }, file, paths.flat())] : [];
  });
}

function toResult(entry: z.output<typeof Issue>, file: string | undefined): Result {
  const { value: name, children } = entry;
  const { ID, Issue: issue, URL: url, Severity: severity, Dependents: dependents } = children;
  const advisory = /\bGHSA(?:-[0-9a-z]{4}){3}\b/i.exec(url ?? '')?.[0] ?? url ?? ID ?? issue ?? 'Issue';
  const isDeprecation = / \(deprecation\)$/.test(ID ?? '');
  return vulnerabilityResult({
    tool: 'yarn-audit',
    entries: [entry],
    identity: [name],
    id: isDeprecation ? 'Deprecation' : advisory,
    name,
    version: children['Tree Versions'].join(', ') || undefined,
    summary: issue,
    severity: severityOf(severity, 'medium'),
    file,
    description: {
      what: escapeMarkdown(issue ?? ''),
      facts: { 'Vulnerable versions': children['Vulnerable Versions'] },
      where: dependents.length > 0 ? codeBlock(dependents.slice(0, 50).join('\n')) : undefined,
      references: [url],
    },
  });
}
