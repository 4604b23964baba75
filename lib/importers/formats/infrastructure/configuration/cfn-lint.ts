import { z } from 'zod';
import type { Importer } from '../../../importer.ts';
import { readList } from '../../../importer.ts';
import { failedCheck, listsOf } from '../../../resources.ts';
import { number, optional, property, requiredText, text, texts } from '../../../schema.ts';
import { relativePath, severityOf } from '../../../support.ts';

const Match = z.object({
  Filename: text,
  Level: text,
  Message: text,
  Location: optional(
    z.object({ Start: optional(z.object({ LineNumber: number, ColumnNumber: number })), Path: texts }),
  ),
  Rule: z.object({ Id: requiredText, Description: text, ShortDescription: text, Source: text }),
});

/** `cfn-lint --format json` */
export const cfnLint: Importer = {
  name: 'cfn-lint',
  about: {
    tool: '[cfn-lint](https://github.com/aws-cloudformation/cfn-lint)',
    command: '`cfn-lint --format json template.yaml > report.json`',
    versions: '0.86 to 1.0',
    identity: 'rule, file, path in the template',
    severity: '`Level`: Error is medium, Warning low, Informational info',
  },

  detects: (report) => {
    const [first] = report.kind === 'json' ? [report.documents[0]].flat() : [];
    return property(first, 'Filename') !== undefined && property(property(first, 'Rule'), 'Id') !== undefined;
  },

  results(report, context) {
    const matches = readList(
      Match,
      listsOf(report, (document) => document, 'list of matches'),
      '',
      context,
    );
    return matches.map(({ Filename, Level, Message, Location, Rule }) => {
      const { Start, Path = [] } = Location ?? {};
      const level = Level?.toLowerCase();
      const result = failedCheck({
        tool: 'cfn-lint',
        id: Rule.Id,
        name: Message ?? Rule.ShortDescription,
        resource: Path.join('/'),
        severity: level === 'error' ? 'medium' : level === 'warning' ? 'low' : severityOf(level, 'info'),
        about: Rule.Description,
        facts: { Rule: Rule.ShortDescription },
        references: [Rule.Source],
        file: relativePath(Filename, context),
        line: Start?.LineNumber,
      });
      return { ...result, column: Start?.ColumnNumber };
    });
  },
};
