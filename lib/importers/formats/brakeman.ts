import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, readAt } from '../importer.ts';
import { type CodeFinding, codeResults } from '../kinds/code.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, list, number, object, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { folderName, nameIn } from '../scanned.ts';
import { cveOf, cweOf, relativePath, severityIn } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const Warning = z.object({
  warning_type: requiredText,
  warning_code: number,
  ...fields(text, 'fingerprint', 'check_name', 'message', 'file', 'link', 'code', 'user_input', 'confidence'),
  line: number,
  location: object({ type: text, class: text, method: text, template: text }),
  cwe_id: list(z.number()),
});

const Failure = z.object({ error: text, location: text });

/** `brakeman -f json` */
export const brakeman: Importer = {
  name: 'brakeman',
  about: {
    tool: '[Brakeman](https://brakemanscanner.org)',
    command: '`brakeman -f json -o report.json`',
    versions: '4.7',
    identity: 'the fingerprint of Brakeman, which does not depend on lines',
    severity: 'the confidence: high, medium or weak',
  },

  detects: (report) =>
    hasKind(documentOf(report), { warnings: 'list', scan_info: { brakeman_version: 'value' } }),

  category: (report, workspace) => folderName(nameIn(report, 'scan_info', 'app_path'), workspace),

  results(report, context) {
    const document = documentOf(report);
    for (const { error, location } of readAt(Failure, document, 'errors', context))
      context.error(`${location ?? 'A file'} was not checked: ${error ?? 'no reason given'}`);
    const ignored = property(document, 'ignored_warnings');
    if (Array.isArray(ignored)) context.skip('they are in the ignore file', ignored.length);
    const warnings = readAt(Warning, document, 'warnings', context);
    return codeResults(
      'brakeman',
      warnings.map((warning): CodeFinding => {
        const { fingerprint, message, location: place } = warning;
        const check = warning.check_name ?? String(warning.warning_code ?? '');
        return {
          entries: [warning],
          title: `${warning.warning_type}: ${message ?? check}`,
          rule_id: check || warning.warning_type,
          severity: severityIn(CONFIDENCES, warning.confidence),
          identity: [warning.warning_type, check],
          identify: fingerprint ? () => fingerprintOf('brakeman', fingerprint) : undefined,
          rule: [warning.warning_type, check],
          file: relativePath(warning.file, context),
          line: warning.line,
          code: warning.code,
          describe: {
            what: escapeMarkdown(message ?? warning.warning_type),
            facts: {
              Check: check,
              Class: place?.class,
              Method: place?.method,
              Template: place?.template,
              'User input': warning.user_input,
              Confidence: warning.confidence,
            },
            references: [warning.link],
          },
          cwe: cweOf(...warning.cwe_id),
          cve: cveOf(message),
        };
      }),
      context,
    );
  },
};

const CONFIDENCES = { high: 'high', medium: 'medium', weak: 'low', low: 'low' } as const;
