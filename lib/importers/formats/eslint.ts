import { z } from 'zod';
import { type Importer, type Report, readList } from '../importer.ts';
import { type CodeFinding, codeResults } from '../kinds/code.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, flag, list, number, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { relativePath } from '../support.ts';
import { escapeMarkdown } from '../text/markdown.ts';

const Message = z.object({
  ruleId: text,
  ...fields(number, 'severity', 'line', 'endLine', 'column'),
  message: text,
  fatal: flag,
});

const File = z.object({
  filePath: requiredText,
  messages: list(Message),
  suppressedMessages: list(z.unknown()),
  source: text,
});

/** `eslint -f json` */
export const eslint: Importer = {
  name: 'eslint',
  about: {
    tool: '[ESLint](https://eslint.org)',
    command: '`eslint -f json -o report.json .`, or `-f json-with-metadata`',
    versions: '9.39 and 10.15; other reports name no version',
    identity: 'rule, file, flagged lines, function',
    severity: 'errors are high, warnings medium',
  },

  // Secretlint adds the content of the file.
  detects: (report) =>
    hasKind(filesOf(report)[0], { filePath: 'text', messages: 'list' }) &&
    property(filesOf(report)[0], 'sourceContent') === undefined,

  results(report, context) {
    const files = readList(File, filesOf(report), '', context);
    const findings = files.flatMap(({ filePath, messages, suppressedMessages, source }): CodeFinding[] => {
      const file = relativePath(filePath, context);
      context.skip('they are suppressed in the code', suppressedMessages.length);
      const lines = source?.split('\n');
      return messages.flatMap((found): CodeFinding | [] => {
        const message = found.message ?? found.ruleId ?? 'A problem without a message';
        if (found.fatal) context.error(`${file ?? filePath} was not checked: ${message}`);
        // A message without a rule is about the file: it cannot be parsed, or it is ignored.
        else if (!found.ruleId) context.warn(`${file ?? filePath}: ${message}`);
        if (found.fatal || !found.ruleId) return [];
        return {
          entries: [found],
          title: `${found.ruleId}: ${message}`,
          rule_id: found.ruleId,
          severity: found.severity === 2 ? 'high' : found.severity === 1 ? 'medium' : 'info',
          identity: [found.ruleId],
          rule: [found.ruleId],
          file,
          line: found.line,
          endLine: found.endLine,
          column: found.column,
          code: lines && found.line ? lines[found.line - 1] : undefined,
          describe: { what: escapeMarkdown(message), facts: { Rule: found.ruleId } },
        };
      });
    });
    return codeResults('eslint', findings, context);
  },
};

const filesOf = (report: Report): unknown[] => {
  const document = documentOf(report);
  return Array.isArray(document) ? document : [];
};
