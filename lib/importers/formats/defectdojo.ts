import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Importer, type Report, readList } from '../importer.ts';
import { documentOf, documentsOf } from '../read/report.ts';
import { list, number, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { joined } from '../text/markdown.ts';
import { GenericFinding } from '../tools/generic-fields.ts';
import { genericResults } from '../tools/generic-results.ts';

/** The findings of DefectDojo itself: the pages of its API, or the CSV of its lists. */
export const defectdojo: Importer = {
  name: 'defectdojo',
  about: {
    tool: '[DefectDojo](https://docs.defectdojo.com)',
    command:
      '`/api/v2/findings/?prefetch=endpoints,test`, all pages in one file ([how](how-to/migrate-from-defectdojo.md)), or *CSV Export* of a list of findings',
    versions: 'the report names no version: fields of 2021 to 2026',
    identity: 'the id of the finding in DefectDojo, and when it was created',
  },
  // JSON is read at once: the number of findings is compared with the number that its first page states.

  detects(report) {
    if (report.kind === 'csv') return ESSENTIAL_COLUMNS.every((name) => report.columns.includes(name));
    const document = documentOf(report);
    const results = property(document, 'results');
    const [first] = Array.isArray(results) ? results : [document].flat();
    if (first === undefined)
      return ['count', 'results', 'prefetch'].every((name) => property(document, name) !== undefined);
    return isObject(first) && ESSENTIAL_FIELDS.every((name) => Object.hasOwn(first, name));
  },

  results(report, context) {
    const { findings, path, prefetched } = contentOf(report);
    warnOfMissingPages(report, findings.length, context);
    const converted = findings.map((finding) =>
      isObject(finding) ? toGeneric(finding, prefetched) : finding,
    );
    const read = readList(GenericFinding, converted, path, context);
    const warnOf = (describe: (count: number) => string, name: string) => {
      const count = converted.filter((finding) => property(finding, name) === true).length;
      if (count > 0) context.warn(describe(count));
    };
    warnOf((count) => `Findings with notes that are not imported: ${count}`, 'dojo_notes');
    warnOf(
      (count) => `Findings with endpoints that the export names only by id: ${count}`,
      'dojo_unnamed_endpoints',
    );
    return genericResults(read, context);
  },
};

const ESSENTIAL_FIELDS = ['id', 'title', 'severity', 'numerical_severity', 'false_p', 'test'];
const ESSENTIAL_COLUMNS = [...ESSENTIAL_FIELDS, 'found_by', 'engagement_id', 'product_id'];

type Prefetched = (kind: 'endpoints' | 'test', id: unknown) => unknown;

function contentOf(report: Report): { findings: unknown[]; path: string; prefetched: Prefetched } {
  if (report.kind === 'csv') return { findings: report.rows, path: '', prefetched: () => undefined };
  const documents = documentsOf(report);
  const findings = documents.flatMap((document) => property(document, 'results') ?? document);
  const known = new Map<string, unknown>();
  for (const page of documents)
    for (const kind of ['endpoints', 'test']) {
      const members = property(page, 'prefetch', kind);
      if (isObject(members))
        for (const [id, member] of Object.entries(members)) known.set(`${kind}/${id}`, member);
    }
  const prefetched: Prefetched = (kind, id) => known.get(`${kind}/${id}`);
  return {
    findings,
    path: documents.length === 1 && !Array.isArray(documents[0]) ? 'results' : '',
    prefetched,
  };
}

function warnOfMissingPages(report: Report, found: number, context: ImportContext) {
  const documents = documentsOf(report);
  const total = documents.reduce<number>(
    (most, page) => Math.max(most, number.parse(property(page, 'count')) ?? 0),
    0,
  );
  if (total > found)
    context.error(`The report has ${found} of ${total} findings: add the next pages to the file`);
}

/** A finding of DefectDojo with the fields of the generic format. */
function toGeneric(finding: Record<string, unknown>, prefetched: Prefetched): Record<string, unknown> {
  const said = Object.fromEntries(
    Object.entries(finding)
      .filter(([, value]) => value !== '' && value !== NOT_SUPPORTED)
      .map(([name, value]) => [name, typeof value === 'string' ? value.replace(NEWLINE, '\n') : value]),
  );
  const id = text.parse(said.id);
  const endpoints = endpointsOf(said.endpoints, prefetched);
  const test = property(said.related_fields, 'test') ?? prefetched('test', said.test);
  return {
    ...said,
    dojo_finding: finding,
    ...(id && { fingerprint: fingerprintOf('defectdojo', id, timeOf(said.created)) }),
    source:
      text.parse(property(test, 'test_type', 'name') ?? property(test, 'test_type_name')) ??
      (Array.isArray(said.found_by) ? undefined : said.found_by),
    is_mitigated: text.parse(said.is_mitigated) ?? (said.mitigated ? 'true' : undefined),
    vulnerability_ids: idsOf(said.vulnerability_ids),
    tags: Array.isArray(said.tags) ? said.tags : splitCell(said.tags),
    endpoints,
    // In DefectDojo, `url` is a page about the finding, and not where the problem is.
    url: undefined,
    references: joined([said.references, said.url, id && `Finding ${id} in DefectDojo`], '\n'),
    dojo_notes: Array.isArray(said.notes) ? said.notes.length > 0 : said.notes !== undefined,
    dojo_unnamed_endpoints:
      Array.isArray(said.endpoints) && said.endpoints.length > 0 && endpoints.length === 0,
  };
}

/** The CSV writes line breaks of texts as this word. */
const NEWLINE = /(?:^| )NEWLINE(?: |$)/g;

/** The text of the CSV for a field that DefectDojo failed to read. */
const NOT_SUPPORTED = 'Value not supported';

/** The members of a cell of the CSV, which ends with `...` if there are more. */
const splitCell = (cell: unknown): string[] =>
  (text.parse(cell) ?? '').split(/;\s*/).filter((member) => member !== '' && member !== '...');

const idsOf = (ids: unknown): string[] =>
  Array.isArray(ids)
    ? list(requiredText).parse(ids.map((id) => property(id, 'vulnerability_id') ?? id))
    : splitCell(ids);

function endpointsOf(endpoints: unknown, prefetched: Prefetched): unknown[] {
  if (!Array.isArray(endpoints)) return splitCell(endpoints);
  // The API names endpoints by id. Their parts are in `prefetch`, if it was requested.
  return endpoints.flatMap((endpoint) =>
    typeof endpoint === 'number' ? (prefetched('endpoints', endpoint) ?? []) : endpoint,
  );
}

/** The same for the CSV and the API, which write times differently. Ids alone repeat between two installations. */
function timeOf(created: unknown): string {
  const time = Date.parse((text.parse(created) ?? '').replace(' ', 'T'));
  return Number.isNaN(time) ? '' : new Date(time).toISOString();
}
