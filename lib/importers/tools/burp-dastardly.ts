import type { Report } from '../importer.ts';
import { rootOf } from '../read/report.ts';
import { elementAt, elements } from '../read/schema.ts';
import type { Found } from './burp-issue.ts';

/** Dastardly writes JUnit XML with the issue as text under headings. */
export function dastardlyIssues(report: Report): Found[] {
  const cases = elements(rootOf(report, 'testsuites'), 'testsuite').flatMap((suite) =>
    elements(suite, 'testcase'),
  );
  return cases.flatMap((test) => {
    const failure = elementAt(test, 'failure');
    if (!failure) return [];
    const body = String(failure['#text'] ?? '');
    const section = (title: string) => {
      const after = body.split(`\n${title}\n`)[1];
      return after
        ?.split(
          /\n(?:Issue (?:Detail|Background|Remediation)|Remediation Detail|Evidence|References|Vulnerability Classifications|Request|Response)\n/,
        )[0]
        ?.trim();
    };
    const line = (name: string) => new RegExp(`^${name}: (.{1,2000})$`, 'm').exec(body)?.[1];
    return {
      name: String(test['@_name'] ?? 'Unnamed issue'),
      host: line('Host'),
      path: line('Path'),
      location: INSERTION_POINT.exec(section('Issue Detail') ?? '')?.[0],
      severity: String(failure['@_type'] ?? line('Severity') ?? ''),
      confidence: line('Confidence'),
      texts: [section('Issue Detail'), section('Issue Background')],
      fixes: [section('Remediation Detail'), section('Issue Remediation')],
      classifications: section('Vulnerability Classifications'),
      references: section('References'),
      requests: [section('Request') ?? ''],
    };
  });
}

/** The input that the text names: `The value of the q request parameter`. */
const INSERTION_POINT =
  /(?<=\bThe (?:value of the )?)[\w.$-]{1,100} (?:request |URL |JSON )?(?:parameter|cookie|header)\b/i;
