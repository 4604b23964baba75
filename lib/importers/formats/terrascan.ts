import { z } from 'zod';
import { type Importer, ReportError, readList } from '../importer.ts';
import { distinct, failedCheck } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { folderName, nameIn } from '../scanned.ts';
import { relativePath, severityOf } from '../support.ts';

const Violation = z.object({
  rule_id: requiredText,
  ...fields(text, 'rule_name', 'description', 'severity', 'category', 'resource_name', 'resource_type'),
  ...fields(text, 'module_name', 'file'),
  line: number,
});
const ScanError = z.object({ iac_type: text, directory: text, errMsg: text });

/** `terrascan scan -o json` */
export const terrascan: Importer = {
  name: 'terrascan',
  about: {
    tool: '[Terrascan](https://runterrascan.io)',
    command: '`terrascan scan -o json > report.json`',
    versions: 'the report names no version: a report of 2021',
    identity: 'rule, file, module, resource',
  },

  detects: (report) =>
    hasKind(documentOf(report), { results: { violations: 'value', scan_summary: 'object' } }),

  category: (report, workspace) =>
    folderName(nameIn(report, 'results', 'scan_summary', 'file/folder'), workspace),

  results(report, context) {
    const results = property(documentOf(report), 'results');
    if (!isObject(results)) throw new ReportError('The report has no results', 'results');
    for (const { iac_type: type, directory, errMsg } of readList(
      ScanError,
      results.scan_errors,
      'results.scan_errors',
      context,
    )) {
      const message = distinct(type, directory, errMsg).join(': ');
      // Terrascan looks for every kind of file and reports those that the directory does not have.
      if (/not found|^no .{0,1000} found|no .{0,1000} files/i.test(errMsg?.slice(0, 1_000) ?? ''))
        context.warn(message);
      else context.error(message);
    }
    context.skip('skipped', [results.skipped_violations ?? []].flat().length);
    return readList(Violation, results.violations, 'results.violations', context).map((violation) =>
      failedCheck({
        tool: 'terrascan',
        entries: [violation],
        id: violation.rule_id,
        name: violation.description ?? violation.rule_name,
        resource: distinct(violation.resource_type, violation.resource_name).join('.'),
        resourceIdentity: [violation.module_name, violation.resource_type, violation.resource_name],
        severity: severityOf(violation.severity),
        facts: { Rule: violation.rule_name, Category: violation.category, Module: violation.module_name },
        file: relativePath(violation.file, context),
        line: violation.line,
      }),
    );
  },
};
