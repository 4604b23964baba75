import { z } from 'zod';
import { type Importer, type Report, ReportError, readList } from '../importer.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, requiredText, text } from '../read/schema.ts';
import { severityOf } from '../support.ts';
import { secretResults } from '../tools/secret-results.ts';
import { isHistoryFinding, secretsInHistory } from '../tools/trufflehog-history.ts';

const Found = z.object({
  rule: z.object({ id: requiredText, message: text, severity: text }),
  ...fields(text, 'path', 'branch', 'commit', 'date'),
  line: number,
  secret: requiredText,
});

/** `trufflehog3 --format json` */
export const trufflehog3: Importer = {
  name: 'trufflehog3',
  about: {
    tool: '[trufflehog3](https://github.com/feeltheajf/trufflehog3)',
    command: '`trufflehog3 --format json --output report.json .`',
    versions: 'the report names no version: both layouts',
    identity: 'rule, file, secret',
    severity: '`severity` of the rule; version 2: high, or medium if only the entropy is high',
  },

  detects: (report) => {
    const [first] = listOf(report) ?? [];
    return isHistoryFinding(first) || hasKind(first, { rule: 'object', secret: 'value' });
  },

  results(report, context) {
    const list = listOf(report);
    if (!list) throw new ReportError('expected a list');
    if (isHistoryFinding(list[0]))
      return secretResults('trufflehog3', secretsInHistory(list, context), context);
    const places = readList(Found, list, '', context).map((found) => ({
      rule: found.rule.id,
      path: found.path,
      line: found.line,
      commit: found.commit,
      secret: found.secret,
      severity: severityOf(found.rule.severity, 'high'),
      what: found.rule.message,
      facts: { Branch: found.branch, Date: found.date },
    }));
    return secretResults('trufflehog3', places, context);
  },
};

function listOf(report: Report): unknown[] | undefined {
  const document = documentOf(report);
  return Array.isArray(document) ? document : undefined;
}
