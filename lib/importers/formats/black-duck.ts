import { type Importer, type Report, type Result, skipped } from '../importer.ts';
import { vulnerabilityResult } from '../kinds/dependency.ts';
import { parseReport } from '../read/parse.ts';
import { hasColumns, rowsWith } from '../read/report.ts';
import { severityIn, severityOfScore } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

/** Black Duck: `security.csv` of a version report, or the archive with it. */
export const blackDuck: Importer = {
  name: 'black-duck',
  about: {
    tool: '[Black Duck SCA](https://www.blackduck.com)',
    command: 'a version detail report with security: the ZIP archive, or `security_….csv` in it',
    versions: 'the report names no version: reports of 2018 and 2019',
    identity: 'project, component, advisory',
    severity: '`Security Risk`, or the base score',
  },

  detects: (report) =>
    report.kind === 'archive' ? securityFileOf(report) !== undefined : hasColumns(report, ...COLUMNS),

  results(report, context) {
    const file = securityFileOf(report);
    const table = file === undefined ? report : parseReport(file.read());
    return rowsWith(table, COLUMNS, file?.name).flatMap((row, index) => {
      const status = row['Remediation status']?.toUpperCase() ?? '';
      if (!row['Vulnerability id']) {
        context.error(`A result cannot be read: no vulnerability at row ${index + 2}`);
        return [];
      }
      if (CLOSED.has(status))
        return skipped(`${status.toLowerCase().replaceAll('_', ' ')} in Black Duck`, context);
      return [toResult(row)];
    });
  },
};

const COLUMNS = ['Vulnerability id', 'Security Risk'];

/** `security.csv` in an archive, also in a folder: `shop-1.0/security_2026-08-26_101500.csv`. */
function securityFileOf(report: Report) {
  if (report.kind !== 'archive') return undefined;
  const name = report.names.find((path) => /(?:^|\/)security(?:_[\w-]*)?\.csv$/.test(path));
  return name === undefined ? undefined : { name, read: () => report.read(name) ?? '' };
}

const CLOSED = new Set([
  'IGNORED',
  'PATCHED',
  'MITIGATED',
  'DUPLICATE',
  'NOT_AFFECTED',
  'REMEDIATION_COMPLETE',
]);

function toResult(row: Record<string, string>): Result {
  const name = row['Component name'] || row['Project name'];
  const version = row['Component version name'] || row.Version;
  const origin = row['Component origin id'] || row['Channel version origin id'];
  const fullId = row['Vulnerability id'] ?? '';
  // Both advisories: `BDSA-2019-2725 (CVE-2019-12402)`.
  const [, id = fullId, alias] = /^(\S+) \((\S+)\)$/.exec(fullId) ?? [];
  const score = Number(row['Base score']) || undefined;
  const project = row['Project path'];
  return vulnerabilityResult({
    tool: 'black-duck',
    entries: [row],
    identity: [project, (version && origin?.replace(version, '')) || name],
    id: /^\d+$/.test(id) ? `VulnDB ${id}` : id,
    aliases: [alias],
    name,
    version,
    summary: row.Description,
    severity: severityIn({ ok: 'info' }, row['Security Risk'], severityOfScore(score)),
    cvss: { score },
    description: {
      what: escapeMarkdown(row.Description ?? ''),
      facts: {
        Origin: origin,
        Project: project,
        'Used by': row['Used by'],
        Source: row['Vulnerability source'],
        Status: row['Remediation status'],
        Comment: row['Remediation comment'],
      },
      references: [row.URL],
    },
  });
}
