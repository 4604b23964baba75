import { z } from 'zod';
import { type Importer, type Report, ReportError, type Result, readList, skipped } from '../importer.ts';
import { failedCheck } from '../kinds/resources.ts';
import { hasKind } from '../read/report.ts';
import { anything, fields, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { collapseWhitespace } from '../support.ts';
import { joined } from '../text/markdown.ts';

const Test = z.object({
  test_number: requiredText,
  ...fields(text, 'test_desc', 'audit', 'remediation', 'status', 'actual_value', 'expected_result', 'reason'),
  ...fields(text, 'type', 'scored'),
});
const Section = z.object({ section: text, desc: text, results: anything });
const Control = z.object({
  ...fields(text, 'id', 'version', 'node_type'),
  text,
  tests: anything,
});

/** `kube-bench --json` */
export const kubeBench: Importer = {
  name: 'kube-bench',
  about: {
    tool: '[kube-bench](https://github.com/aquasecurity/kube-bench)',
    command: '`kube-bench --json > report.json`',
    versions: 'CIS benchmarks 1.5 and 1.6',
    identity: 'kind of node, text of the recommendation: its number differs between benchmarks',
    severity: 'FAIL is medium, WARN info; manual checks are no findings',
  },

  detects: (report) => hasKind(controlsOf(report)?.[0], { tests: 'list', node_type: 'value' }),

  results(report, context) {
    const found = controlsOf(report);
    if (!found) throw new ReportError('The report has no controls', 'Controls');
    return readList(Control, found, 'Controls', context).flatMap((control) =>
      readList(Section, control.tests, 'tests', context).flatMap((section) =>
        readList(Test, section.results, 'tests.results', context).flatMap((test): Result | [] => {
          const status = test.status?.toUpperCase();
          if (status !== 'FAIL' && status !== 'WARN')
            return skipped(status === 'PASS' ? 'passed' : 'informational', context);
          if (test.type === 'manual' || /marked as a manual test/i.test(test.reason ?? ''))
            return skipped('need a manual check', context);
          const name = test.test_desc?.replace(/(?<!\s)\s*\((?:not )?(?:scored|automated|manual)\)\s*$/i, '');
          return failedCheck({
            tool: 'kube-bench',
            entries: [control, section, test],
            id: test.test_number,
            identityId: collapseWhitespace(name ?? test.test_number).toLowerCase(),
            resourceIdentity: [control.node_type],
            name,
            severity: status === 'FAIL' ? 'medium' : 'info',
            message: joined(
              [
                test.reason,
                test.actual_value && `Found: ${test.actual_value}`,
                test.expected_result && `Expected: ${test.expected_result}`,
              ],
              '\n',
            ),
            code: test.remediation,
            facts: {
              Section: joined([section.section, section.desc], ' '),
              'Kind of node': control.node_type,
              Benchmark: joined([control.text, control.version], ' '),
            },
            snippet: test.audit,
          });
        }),
      ),
    );
  },
};

/** One object with `Controls`, a list, or a document per part of the benchmark. */
function controlsOf(report: Report): unknown[] | undefined {
  if (report.kind !== 'json') return undefined;
  const found = report.documents.flatMap((document) => property(document, 'Controls') ?? document);
  return found.some((control) => property(control, 'tests') !== undefined) ? found : undefined;
}
