import { z } from 'zod';
import { type Importer, readList } from '../importer.ts';
import { failedCheck, listsOf } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { anything, fields, list, number, requiredText, text, texts } from '../read/schema.ts';
import { relativePath } from '../support.ts';
import { isSecretRule } from '../text/secrets.ts';

const Violation = z.object({
  id: requiredText,
  ...fields(text, 'name', 'type', 'message'),
  logical_resource_ids: texts,
  line_numbers: list(number),
});
const File = z.object({ filename: text, file_results: z.object({ violations: anything }) });

/** `cfn_nag_scan --output-format json` */
export const cfnNag: Importer = {
  name: 'cfn-nag',
  about: {
    tool: '[cfn_nag](https://github.com/stelligent/cfn_nag)',
    command: '`cfn_nag_scan --input-path . --output-format json > report.json`',
    versions: 'the report names no version',
    identity: 'rule, file, resource',
    severity: '`type`: FAIL is high, WARN medium',
  },

  detects: (report) => hasKind([documentOf(report)].flat()[0], { file_results: { violations: 'list' } }),

  results(report, context) {
    return readList(File, listsOf(report), '', context).flatMap(
      ({ filename, file_results: { violations } }) =>
        readList(Violation, violations, 'file_results.violations', context).flatMap((violation) => {
          const file = relativePath(filename, context);
          // One violation names all its resources.
          const resources =
            violation.logical_resource_ids.length > 0 ? violation.logical_resource_ids : [undefined];
          return resources.map((resource, index) =>
            failedCheck({
              tool: 'cfn-nag',
              entries: [violation],
              id: violation.id,
              name: violation.message,
              resource,
              severity: violation.type?.toUpperCase() === 'WARN' ? 'medium' : 'high',
              facts: { Rule: violation.name },
              cwe: isSecretRule(violation.message) ? 'CWE-798' : undefined,
              file,
              line: violation.line_numbers[index],
            }),
          );
        }),
    );
  },
};
