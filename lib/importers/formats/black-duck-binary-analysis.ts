import type { Importer, Result } from '../importer.ts';
import { vulnerabilityResult, withoutVersion } from '../kinds/dependency.ts';
import { hasColumns, rowsWith } from '../read/report.ts';
import { cvssOf, plainPath } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

/** Black Duck Binary Analysis: the vulnerabilities as CSV. */
export const blackDuckBinaryAnalysis: Importer = {
  name: 'black-duck-binary-analysis',
  about: {
    tool: '[Black Duck Binary Analysis](https://www.blackduck.com)',
    command: 'the vulnerabilities of a scan exported as CSV',
    versions: 'the report names no version: reports of 2020 and 2023',
    identity: 'component, object, advisory',
    severity: 'CVSS 3, or CVSS 2',
  },

  detects: (report) => hasColumns(report, ...COLUMNS),

  results(report, context) {
    return rowsWith(report, COLUMNS).flatMap((row, index) => {
      if (row.CVE || row.BDSA) return [toResult(row)];
      context.error(`A result cannot be read: no vulnerability at row ${index + 2}`);
      return [];
    });
  },
};

const COLUMNS = ['Component', 'CVE', 'Object full path', 'Matching type'];

function toResult(row: Record<string, string>): Result {
  const { Component: name, Version: version, CVE: cve = '', BDSA: bdsa } = row;
  // A CVSS 3 score of zero means that there is none.
  const score = Number(row.CVSS3) || Number(row.CVSS) || undefined;
  const vector = cvssOf(row['CVSS vector (v3)']) ?? cvssOf(row['CVSS vector (v2)']);
  const object = row['Object full path'];
  return vulnerabilityResult({
    tool: 'black-duck-binary-analysis',
    entries: [row],
    identity: [name, withoutVersion(object, version)],
    id: cve || (bdsa ?? ''),
    aliases: [bdsa],
    name,
    version,
    summary: row.Summary,
    cvss: { score: score ?? vector?.score, vector: vector?.vector },
    file: plainPath(object?.replaceAll(':', '/')),
    isInFile: false,
    description: {
      what: escapeMarkdown(row.Summary ?? ''),
      facts: {
        Object: object,
        'Latest version': row['Latest version'],
        Match: row['Matching type'],
        'Distribution package': row['Distribution package'],
        'Missing exploit mitigations': row['Missing exploit mitigations'],
        Note: row['Note reason'],
      },
      references: [row['Vulnerability URL']],
    },
  });
}
