import { z } from 'zod';
import { type Importer, type Result, readList } from '../importer.ts';
import { failedCheck, listsOf } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, object, requiredText, text, texts } from '../read/schema.ts';
import { relativePath, severityOf } from '../support.ts';
import { formatLocation } from '../text/markdown.ts';

const Match = z.object({
  ...fields(text, 'Filename', 'Level', 'Message'),
  Location: object({ Start: object({ LineNumber: number, ColumnNumber: number }), Path: texts }),
  Rule: z.object({ Id: requiredText, Description: text, ShortDescription: text, Source: text }),
});

/** `cfn-lint --format json` */
export const cfnLint: Importer = {
  name: 'cfn-lint',
  about: {
    tool: '[cfn-lint](https://github.com/aws-cloudformation/cfn-lint)',
    command: '`cfn-lint --format json template.yaml > report.json`',
    versions: '1.51; other reports name no version',
    identity: 'rule, file, path in the template',
    severity: '`Level`: Error is medium, Warning low, Informational info',
  },

  detects: (report) => hasKind([documentOf(report)].flat()[0], { Filename: 'value', Rule: { Id: 'value' } }),

  results(report, context) {
    return readList(Match, listsOf(report), '', context).flatMap((match): Result[] => {
      const { Filename, Level, Message, Location, Rule } = match;
      const { Start, Path = [] } = Location ?? {};
      const [file, line] = [relativePath(Filename, context), Start?.LineNumber];
      if (TOOL_ERROR.test(Rule.Id)) {
        context.error(`${formatLocation(file, line) ?? 'A template'} was not checked: ${Message ?? Rule.Id}`);
        return [];
      }
      const level = Level?.toLowerCase();
      const result = failedCheck({
        tool: 'cfn-lint',
        entries: [match],
        id: Rule.Id,
        name: Message ?? Rule.ShortDescription,
        resource: Path.join('/'),
        severity: level === 'error' ? 'medium' : level === 'warning' ? 'low' : severityOf(level, 'info'),
        about: Rule.Description,
        facts: { Rule: Rule.ShortDescription },
        references: [Rule.Source],
        file,
        line,
      });
      return [{ ...result, column: Start?.ColumnNumber }];
    });
  },
};

/** The template cannot be parsed or transformed, or a rule failed. */
const TOOL_ERROR = /^E000[0-2]$/;
