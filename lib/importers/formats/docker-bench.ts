import { z } from 'zod';
import { type Importer, type Result, readList, readRequired, skipped } from '../importer.ts';
import { failedCheck } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { anything, fields, requiredText, text, texts } from '../read/schema.ts';
import { collapseWhitespace } from '../support.ts';

const Test = z.object({
  id: requiredText,
  ...fields(text, 'desc', 'result', 'details', 'remediation', 'remediation-impact'),
  items: texts,
});
const Section = z.object({ id: text, desc: text, results: anything });

/** `docker-bench-security.sh`, which writes a JSON file too. */
export const dockerBench: Importer = {
  name: 'docker-bench',
  about: {
    tool: '[Docker Bench for Security](https://github.com/docker/docker-bench-security)',
    command: '`./docker-bench-security.sh -l report`, which writes `report.json`',
    versions: '1.3.6',
    identity: 'text of the recommendation: its number differs between benchmarks',
    severity: '`result`: WARN is medium, INFO info',
  },

  detects: (report) => hasKind(documentOf(report), { dockerbenchsecurity: 'value', tests: 'list' }),

  results(report, context) {
    return readRequired(Section, documentOf(report), 'tests', context).flatMap((section) =>
      readList(Test, section.results, 'tests.results', context).flatMap((test): Result | [] => {
        const result = test.result?.toUpperCase();
        if (result === 'PASS' || result === 'NOTE')
          return skipped(result === 'PASS' ? 'passed' : 'need a manual check', context);
        const name = test.desc?.replace(/(?<!\s)\s*\((?:not )?(?:scored|automated|manual)\)\s*$/i, '');
        return failedCheck({
          tool: 'docker-bench',
          entries: [test],
          id: test.id,
          identityId: collapseWhitespace(name ?? test.id).toLowerCase(),
          name,
          severity: result === 'WARN' ? 'medium' : 'info',
          message: test.details ?? test.items.join(', '),
          fix: test.remediation,
          facts: { Section: section.desc, 'Impact of the fix': test['remediation-impact'] },
        });
      }),
    );
  },
};
