import { type Importer, type Report, readList } from '../importer.ts';
import { documentOf } from '../read/report.ts';
import { text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import {
  GenericFinding,
  isKnownField,
  isOwnExport,
  unresolved,
  warnOfUnknown,
} from '../tools/generic-fields.ts';
import { genericResults } from '../tools/generic-results.ts';

/** `{"findings": […]}` as DefectDojo reads it, a list of findings, or one finding per line. */
export const genericJson: Importer = {
  name: 'generic-json',
  about: {
    tool: 'JSON of any tool (below)',
    command: 'write it with a script',
    versions: '–',
    identity: '`fingerprint`, `unique_id_from_tool`, or what the finding says',
    severity: '`severity`, or the CVSS score',
  },
  split: { json: ['', 'findings'], documents: true },

  detects(report) {
    if (report.kind !== 'json') return false;
    const [document] = report.documents;
    const findings = property(document, 'findings');
    if (report.documents.length === 1 && Array.isArray(findings)) {
      const [first] = findings;
      if (first === undefined) return Object.keys(document as object).every((name) => ROOT.has(name));
      // A finding may have fields of its own, but fewer than known ones.
      return hasEssentials(first) && knownFields(first) * 2 >= Object.keys(first).length;
    }
    const [first] = Array.isArray(document) ? document : [document];
    return (
      hasEssentials(first) &&
      (isOwnExport(Object.keys(first)) || knownFields(first) === Object.keys(first).length)
    );
  },

  results(report, context) {
    const [all, path] = findingsOf(report);
    const findings = unresolved(all, context);
    const foreign = findings.filter(isObject).map(Object.keys);
    warnOfUnknown(foreign.filter((names) => !isOwnExport(names)).flat(), context);
    const document = documentOf(report);
    const type = text.parse(property(document, 'type'))?.replace(/ \(Generic Findings Import\)$/i, '');
    const read = readList(GenericFinding, findings, path, context);
    return genericResults(read, context, type === 'Generic Findings Import' ? undefined : type?.trim());
  },
};

/** The members of the report object. */
const ROOT = new Set([
  'findings',
  'name',
  'title',
  'type',
  'version',
  'description',
  'static_tool',
  'dynamic_tool',
  'soc',
]);

const hasEssentials = (value: unknown): value is Record<string, unknown> =>
  isObject(value) &&
  typeof value.title === 'string' &&
  (typeof value.severity === 'string' || typeof value.fingerprint === 'string');

const knownFields = (finding: Record<string, unknown>) => Object.keys(finding).filter(isKnownField).length;

function findingsOf(report: Report): [findings: unknown[], path: string] {
  if (report.kind !== 'json') return [[], ''];
  const [document] = report.documents;
  if (report.documents.length > 1) return [report.documents, ''];
  const findings = property(document, 'findings');
  if (Array.isArray(findings)) return [findings, 'findings'];
  return [Array.isArray(document) ? document : [document], ''];
}
