import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { expectFindings, fingerprints, imported, shiftLines } from '../support/importers/importers.ts';

/* Real reports, of the directory that SVC_TEST_REPORTS names. */

function realReport(file: string, { skip }: TestContext): string {
  const directory = process.env.SVC_TEST_REPORTS;
  skip(!directory, 'SVC_TEST_REPORTS names no directory of real reports');
  return readFileSync(join(directory ?? '', file), 'utf8');
}

const CODE: [format: string, file: string, count: number][] = [
  ['sarif', 'sarif/codeQL-output.sarif', 72],
  ['sarif', 'sarif/issue_10191.json', 77],
  // One of its 54 results is a passed check.
  ['sarif', 'sarif/flawfinder.sarif', 53],
  // 15 of its 27 results are there twice.
  ['sarif', 'sarif/bash-report.sarif', 12],
  ['sarif', 'sarif/spotbugs.sarif', 56],
  ['sarif', 'sarif/cxf-3.4.6.sarif', 22],
  ['semgrep', 'semgrep/many_vulns.json', 48],
  ['semgrep', 'semgrep/high-medium-low-severities.json', 3],
  // One of its 214 results is there twice.
  ['bandit', 'bandit/many_vulns.json', 213],
  ['bandit', 'bandit/dd.json', 47],
  // One finding per alert. Its instances (124 and 130 in total) are in the description.
  // One alert is there with two confidences.
  ['zap', 'zap/dvwa_baseline_dojo.xml', 18],
  ['zap', 'zap/zap-results-first-scan.xml', 15],
  // Failed checks only, neither passed nor skipped ones.
  ['checkov', 'checkov/checkov-report-multiple-check_type.json', 13],
  ['checkov', 'checkov/checkov-report-severity.json', 4],
];

const DEPENDENCIES: typeof CODE = [
  // Vulnerabilities, failed misconfiguration checks, secrets and licenses.
  ['trivy', 'trivy/issue_9333.json', 13],
  ['trivy', 'trivy/misconfigurations_and_secrets.json', 5],
  // Matches: a vulnerability of a package at a location.
  ['grype', 'grype/issue_9618.json', 35],
  ['grype', 'grype/many_vulns_with_epss_values.json', 15],
  // Vulnerable packages, as npm counts them. Their advisories are in the description.
  ['npm-audit', 'npm_audit/many_vuln_npm7.json', 15],
  // Advisories per package. They form 37 groups, one per vulnerability.
  ['osv-scanner', 'osv_scanner/many_findings.json', 66],
  // Vulnerabilities. Dependencies without any and skipped ones are not findings.
  ['pip-audit', 'pip_audit/many_vulns_new.json', 7],
  // Entries: one for each path to a vulnerable dependency.
  ['snyk', 'snyk/single_project_many_vulns.json', 41],
  ['snyk', 'snyk/all_containers_target_output.json', 40],
  // Vulnerable modules. govulncheck also lists their imported packages and each called symbol, 116 in all.
  ['govulncheck', 'govulncheck/issue_14642.json', 40],
  ['govulncheck', 'govulncheck/many_vulns_new_version.json', 1],
  ['nuclei', 'nuclei/issue_14071.json', 27],
  ['nuclei', 'nuclei/many_findings.json', 18],
];

describe.each([...CODE, ...DEPENDENCIES])('%s: %s', (format, file, count) => {
  it(`has ${count} findings`, (test) => {
    expectFindings(realReport(file, test), format, count);
  });
});

// Without source code, a result is identified by its line.
const WITH_CODE = CODE.filter(([, file]) => !file.endsWith('.xml') && file !== 'sarif/spotbugs.sarif');

it.for(WITH_CODE)('%s: %s keeps its fingerprints when lines move', ([, file], test) => {
  const report = realReport(file, test);
  const [before, after] = [imported(report), imported(shiftLines(report))];
  expect(fingerprints(after)).toEqual(fingerprints(before));
  expect(after.map(({ line }) => line)).not.toEqual(before.map(({ line }) => line));
});

it.for(DEPENDENCIES)('%s: %s has fingerprints that do not depend on the order', ([, file], test) => {
  const all = fingerprints(imported(realReport(file, test)));
  expect(all.filter((fingerprint) => fingerprint.includes('#'))).toEqual([]);
});

it('of ZAP: the descriptions list every instance', (test) => {
  const listed = imported(realReport('zap/dvwa_baseline_dojo.xml', test)).flatMap(
    ({ description }) => description.match(/^- `(?:GET|POST) /gm) ?? [],
  );
  expect(listed).toHaveLength(124);
});

it('of nuclei: the findings contain no cookies and passwords', (test) => {
  const sent = JSON.stringify(imported(realReport('nuclei/issue_14071.json', test)));
  for (const secret of ['fbeb4812f1bc3a', '90af3b3f9792ec', '0ad6e164d446ae', 'password=password'])
    expect(sent).not.toContain(secret);
});
