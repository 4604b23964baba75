import { z } from 'zod';
import { type Importer, type Report, readList } from '../importer.ts';
import { cvesIn, formatService, hostIdentity, type Issue, resultsOf } from '../kinds/issues.ts';
import { documentOf, hasColumns, rowsWith } from '../read/report.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { cweOf, severityOf } from '../support.ts';
import { escapeMarkdown, inlineCode } from '../text/markdown.ts';

const Row = z
  .object({
    id: requiredText,
    ...fields(text, 'fqdn/ip', 'ip', 'port', 'finding', 'cve', 'cwe'),
    severity: requiredText,
  })
  .transform((row) => ({ ...row, target: row['fqdn/ip'] ?? row.ip ?? '' }));

/** CSV and flat JSON of testssl.sh. */
export const testssl: Importer = {
  name: 'testssl',
  about: {
    tool: '[testssl.sh](https://testssl.sh)',
    command: '`testssl.sh --csvfile report.csv host`',
    versions: 'the report names no version: CSV',
    identity: 'test, host, port',
    severity:
      '`severity`; `OK` and the overall rating are no findings, `WARN` and `FATAL` are remarks and errors of the scan',
  },

  detects: (report) =>
    hasColumns(report, 'id', 'fqdn/ip', 'port', 'severity', 'finding') || isFlatJson(report),

  results(report, context) {
    const rows = report.kind === 'csv' ? rowsWith(report, ['id', 'severity', 'finding']) : documentOf(report);
    const found = readList(Row, rows, report.kind === 'csv' ? 'rows' : '', context);
    return resultsOf(
      'testssl',
      found.flatMap((row) => {
        const level = row.severity.trim().toUpperCase();
        if (level === 'FATAL') context.error(`${row.target}: ${row.finding ?? row.id}`);
        else if (level === 'WARN') context.warn(`${row.target}: ${row.finding ?? row.id}`);
        else if (level === 'OK') context.skip('passed');
        else if (level === 'DEBUG') return [];
        else if (RATING.test(row.id)) context.skip('they are about the overall rating of a host');
        else return [toIssue(row)];
        return [];
      }),
      context,
    );
  },
};

/** The grade of a host and how it was computed. The reasons for the grade are results of their own. */
const RATING = /^(?:rating_(?:spec|doc)|\w+_score(?:_weighted)?|overall_grade|grade_cap_reason_\d+)$/;

const JSON_FIELDS = ['id', 'ip', 'port', 'severity', 'finding'];

function isFlatJson(report: Report): boolean {
  const document = documentOf(report);
  return (
    Array.isArray(document) && JSON_FIELDS.every((name) => typeof property(document[0], name) === 'string')
  );
}

function toIssue({ id, target, port, severity, finding, cve, cwe }: z.output<typeof Row>): Issue {
  // `host/address`
  const [name, address] = target.split('/', 2).map((part) => part.trim());
  const host = name || address || target;
  const service = formatService(host, port);
  return {
    identity: [id.trim(), hostIdentity(host), port],
    title: `${id.trim()}${finding ? `: ${finding.slice(0, 160)}` : ''} (${service})`,
    rule_id: id.trim(),
    severity: severityOf(severity),
    what: escapeMarkdown(finding ?? ''),
    facts: { Test: id.trim(), Host: host, Port: port },
    places: address && address !== host ? [inlineCode(address)] : [],
    cwe: cweOf(cwe),
    cves: cvesIn(cve),
  };
}
