import { z } from 'zod';
import { identifyCode } from '../identity/identity.ts';
import { type Importer, type Result, readList } from '../importer.ts';
import { failedCheck, listsOf } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { relativePath, severityIn } from '../support.ts';
import { formatLocation } from '../text/markdown.ts';

const Finding = z.object({
  code: requiredText,
  ...fields(text, 'message', 'level', 'file'),
  line: number,
  column: number,
});

/** `hadolint -f json` */
export const hadolint: Importer = {
  name: 'hadolint',
  about: {
    tool: '[Hadolint](https://github.com/hadolint/hadolint)',
    command: '`hadolint -f json Dockerfile > report.json`',
    versions: '2.15; other reports name no version',
    identity: 'rule, file, flagged line',
    severity: '`level`: error is high, warning medium, info low, style info',
  },

  detects: (report) => {
    const [first] = [documentOf(report)].flat();
    return (
      hasKind(first, { code: 'text', level: 'value', column: 'value' }) &&
      /^(?:DL|SC)\d{4}$/.test(String(property(first, 'code')))
    );
  },

  results(report, context) {
    return readList(Finding, listsOf(report), '', context).flatMap((finding): Result | [] => {
      const { code, message, level, line, column } = finding;
      const file = relativePath(finding.file, context);
      if (code === 'DL1000') {
        context.error(`${formatLocation(file, line) ?? 'A file'} cannot be parsed: ${message ?? ''}`);
        return [];
      }
      const result = failedCheck({
        tool: 'hadolint',
        entries: [finding],
        id: code,
        name: message,
        severity: severityIn({ error: 'high', warning: 'medium', info: 'low', style: 'info' }, level),
        references: [
          code.startsWith('SC')
            ? `https://www.shellcheck.net/wiki/${code}`
            : `https://github.com/hadolint/hadolint/wiki/${code}`,
        ],
        file,
        line,
      });
      return {
        ...result,
        column,
        identify: identifyCode('hadolint', [code], { file, line, column }, context),
      };
    });
  },
};
