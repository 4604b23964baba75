import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importers } from '../../lib/importers/formats/index.ts';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport, REPEATED } from '../../lib/importers/index.ts';
import { FORMATS } from '../../lib/importers/names.ts';
import { parseReport } from '../../lib/importers/read/parse.ts';
import { describeReport } from '../support/importers/expectations.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

/* Facts that every importer proves on the reports of fixtures/. `infrastructure/` has tables of its own. */

/** The number of findings of each report. */
const GROUPS: Record<string, [format: string, file: string, count: number][]> = {
  general: [
    ['sarif', 'several-runs.sarif', 7],
    ['sarif', 'flows.sarif', 3],
    ['generic-json', 'generic/findings.json', 3],
    ['generic-json', 'generic/pushed.jsonl', 2],
    ['generic-csv', 'generic/findings.csv', 3],
    ['defectdojo', 'generic/defectdojo.json', 2],
    ['defectdojo', 'generic/defectdojo.csv', 2],
  ],
  code: [
    ['semgrep', 'semgrep.json', 5],
    ['semgrep', 'semgrep-platform.json', 2],
    ['bandit', 'bandit.json', 3],
    ['checkov', 'checkov.json', 3],
    ['brakeman', 'code/brakeman.json', 2],
    ['checkmarx', 'code/checkmarx.xml', 2],
    ['checkmarx', 'code/checkmarx-flow.json', 2],
    ['checkmarx-osa', 'code/checkmarx-osa.json', 1],
    ['checkmarx-one', 'code/checkmarx-one.json', 3],
    ['checkmarx-one', 'code/checkmarx-one-report.json', 2],
    ['checkmarx-one', 'code/checkmarx-one-2022.json', 3],
    ['eslint', 'code/eslint.json', 2],
    ['fortify', 'code/fortify.fvdl', 3],
    ['fortify', 'code/fortify.xml', 1],
    ['github-code-scanning', 'code/github-code-scanning.json', 2],
    ['github-secret-scanning', 'code/github-secret-scanning.json', 2],
    ['gitlab-sast', 'code/gitlab-sast.json', 4],
    ['gitlab-secret-detection', 'code/gitlab-secret-detection.json', 2],
    ['gitlab-dast', 'code/gitlab-dast.json', 2],
    ['gitlab-fuzzing', 'code/gitlab-fuzzing.json', 1],
    ['gosec', 'code/gosec.json', 2],
    ['mobsf', 'code/mobsf.json', 8],
    ['mobsfscan', 'code/mobsfscan.json', 3],
    ['sonarqube', 'code/sonarqube.json', 2],
    ['sonarqube', 'code/sonarqube-hotspots.json', 2],
    ['spotbugs', 'code/spotbugs.xml', 2],
    ['veracode', 'code/veracode.xml', 3],
    ['veracode', 'code/veracode-findings.json', 3],
    ['veracode-sca', 'code/veracode-sca.json', 2],
    ['veracode-sca', 'code/veracode-sca.csv', 1],
  ],
  advisories: [
    ['trivy', 'trivy.json', 7],
    ['trivy', 'dependencies/trivy-0.9.json', 1],
    ['trivy', 'dependencies/trivy-cluster.json', 4],
    ['grype', 'grype.json', 3],
    ['grype', 'dependencies/grype-0.7.json', 2],
    ['npm-audit', 'npm-audit.json', 3],
    ['npm-audit', 'dependencies/npm-audit-6.json', 2],
    ['osv-scanner', 'osv-scanner.json', 4],
    ['pip-audit', 'pip-audit.json', 2],
    ['snyk', 'snyk.json', 4],
    ['snyk-api', 'dependencies/snyk-api.json', 3],
    ['govulncheck', 'govulncheck.jsonl', 2],
    ['govulncheck', 'dependencies/govulncheck-0.1.json', 2],
    ['nuclei', 'nuclei.jsonl', 7],
  ],
  dependencies: [
    ['cyclonedx', 'dependencies/cyclonedx.json', 3],
    ['cyclonedx', 'dependencies/cyclonedx.xml', 2],
    ['dependency-check', 'dependencies/dependency-check.xml', 2],
    ['dependency-check', 'dependencies/dependency-check.json', 1],
    ['retire', 'dependencies/retire.json', 2],
    ['ossindex', 'dependencies/ossindex.json', 1],
    ['ossindex', 'dependencies/devaudit.json', 1],
    ['github-dependabot', 'dependencies/platforms/dependabot-graphql.json', 2],
    ['github-dependabot', 'dependencies/platforms/dependabot-rest.json', 1],
    ['gitlab-dependency-scanning', 'dependencies/platforms/gl-dependency-scanning-report.json', 2],
    ['gitlab-container-scanning', 'dependencies/platforms/gl-container-scanning-report.json', 1],
    ['pnpm-audit', 'dependencies/package-managers/pnpm-audit.json', 2],
    ['yarn-audit', 'dependencies/package-managers/yarn-audit-1.jsonl', 2],
    ['yarn-audit', 'dependencies/package-managers/yarn-audit-4.jsonl', 2],
    ['bundler-audit', 'dependencies/package-managers/bundler-audit.json', 2],
    ['bundler-audit', 'dependencies/package-managers/bundler-audit.txt', 3],
    ['composer-audit', 'dependencies/package-managers/composer-audit.json', 2],
    ['cargo-audit', 'dependencies/package-managers/cargo-audit.json', 2],
    ['jfrog-xray', 'dependencies/platforms/xray-report.json', 2],
    ['jfrog-xray', 'dependencies/platforms/xray-artifact.json', 2],
    ['jfrog-xray', 'dependencies/platforms/xray-scan.json', 2],
    ['jfrog-xray', 'dependencies/platforms/xray-components.json', 1],
    ['dependency-track', 'dependencies/platforms/dependency-track.json', 2],
    ['mend', 'dependencies/platforms/mend.json', 1],
    ['mend', 'dependencies/platforms/mend-agent.json', 1],
    ['mend', 'dependencies/platforms/mend-platform.json', 1],
    ['black-duck', 'dependencies/platforms/black-duck.csv', 2],
    ['black-duck-binary-analysis', 'dependencies/platforms/black-duck-binary-analysis.csv', 2],
  ],
  secrets: [
    ['gitleaks', 'gitleaks.json', 3],
    ['gitleaks', 'gitleaks-7.json', 2],
    ['detect-secrets', 'secrets/detect-secrets.json', 2],
    ['trufflehog', 'secrets/trufflehog.jsonl', 2],
    ['trufflehog', 'secrets/trufflehog-2.jsonl', 3],
    ['trufflehog3', 'secrets/trufflehog3.json', 2],
    ['trufflehog3', 'secrets/trufflehog3-2.json', 3],
    ['ggshield', 'secrets/ggshield.json', 3],
    ['noseyparker', 'secrets/noseyparker.jsonl', 3],
  ],
  'hosts and websites': [
    ['zap', 'zap.json', 2],
    ['zap', 'zap.xml', 1],
    ['acunetix', 'web/acunetix.xml', 2],
    ['arachni', 'web/arachni.json', 2],
    ['burp', 'web/burp.xml', 2],
    ['burp', 'web/burp-api.json', 1],
    ['burp', 'web/dastardly.xml', 1],
    ['invicti', 'web/invicti.json', 2],
    ['nessus', 'network/nessus.xml', 5],
    ['nessus', 'network/nessus.csv', 2],
    ['nexpose', 'network/nexpose.xml', 3],
    ['nikto', 'web/nikto.json', 3],
    ['nmap', 'network/nmap.xml', 4],
    ['openvas', 'network/openvas.xml', 2],
    ['qualys', 'network/qualys.xml', 2],
    ['qualys', 'network/qualys.csv', 1],
    ['qualys-was', 'web/qualys-was.xml', 2],
    ['sqlmap', 'web/sqlmap.csv', 1],
    ['testssl', 'network/testssl.csv', 2],
    ['wapiti', 'web/wapiti.xml', 3],
    ['webinspect', 'web/webinspect.xml', 2],
    ['webinspect', 'web/webinspect-sessions.xml', 1],
    ['wpscan', 'web/wpscan.json', 4],
  ],
};

for (const [format, file, findings] of Object.values(GROUPS).flat())
  describeReport({ format, file, findings });

/** Their findings are of packages with several advisories, or name no rule. */
const WITHOUT_RULE = ['npm-audit.json', 'generic/'];

it.each(
  Object.values(GROUPS)
    .flat()
    .map(([, file]) => file)
    .filter((file) => !WITHOUT_RULE.some((start) => file.startsWith(start))),
)('each finding of %s has a rule', (file) => {
  for (const { title, rule_id } of imported(own(file))) expect([title, rule_id]).not.toContain(undefined);
});

describe('recognizing a format', () => {
  /** The audit of Fortify is a part of an archive; edits/ contains several reports in a file. */
  const files = readdirSync(new URL('../fixtures/', import.meta.url), { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter(
      (name) =>
        /\.(?:jsonl?|sarif|xml|csv|fvdl)$/.test(name) && !/fortify-audit|killed-run|^edits\//.test(name),
    );

  it.each(files)('exactly one importer recognizes %s', (name) => {
    const report = parseReport(own(name));
    expect(importers.filter(({ detects }) => detects(report))).toHaveLength(1);
  });

  it('offers every importer by its name', () => {
    expect([...FORMATS].sort()).toEqual(importers.map(({ name }) => name).sort());
  });
});

describe('another layout', () => {
  const documentsOf = (file: string): unknown[] => {
    const report = parseReport(own(file));
    return report.kind === 'json' ? report.documents : [];
  };
  const reports = Object.values(GROUPS)
    .flat()
    .map(([format, file]) => ({ format, file, documents: documentsOf(file) }));
  const text = (...documents: unknown[]) => documents.map((each) => JSON.stringify(each)).join('\n');

  const expectSame = (report: string, format: string, file: string) => {
    const expected = fingerprints(imported(own(file)));
    for (const name of [undefined, format])
      expect(fingerprints(importReport(report, context, { format: name }).findings)).toEqual(expected);
  };

  /** TruffleHog 2 writes lines, and trufflehog3 the same findings as a list. */
  const isAmbiguous = (file: string) => /trufflehog-2|trufflehog3-2|checkmarx-osa/.test(file);

  it.each(reports.filter(({ documents, file }) => documents.length > 1 && !isAmbiguous(file)))(
    'reads lines as a list: $file',
    ({ format, file, documents }) => expectSame(text(documents), format, file),
  );

  const lists = reports.filter(
    ({ documents: [list], file }) => Array.isArray(list) && list.length > 0 && !isAmbiguous(file),
  );

  it.each(lists)('reads a list as lines, pages or in an object: $file', ({ format, file, documents }) => {
    const [first, ...others] = documents.flat();
    for (const layout of [
      text(first, ...others),
      text([first], others),
      text([[first], others]),
      text({ results: [first, ...others], metadata: { cwd: '/' } }),
      text({ data: [first] }, { data: others }),
      text([{ data: [first] }, { data: others }]),
    ])
      expectSame(layout, format, file);
  });

  const whole = reports.filter(({ documents }) => documents.length === 1 && !Array.isArray(documents[0]));

  it.each(whole)('reads every report in a file, not only the first: $file', ({ format, documents }) => {
    const twice = text(...documents, ...documents);
    const { findings, skipped } = importReport(twice, context, { format });
    const once = importReport(text(...documents), context, { format });
    const before = { findings: once.findings.length, twice: once.skipped[REPEATED] ?? 0 };
    expect(findings.length + (skipped[REPEATED] ?? 0)).toBe(2 * (before.findings + before.twice));
  });

  it('is said if a report of the named format cannot be read', () => {
    expect(() => imported('{"problems": [{"a": 1}]}', 'pip-audit')).toThrow('Use the report of `pip-audit');
  });
});

describe('a report of another tool', () => {
  /** Formats that also read the layout of another one: Yarn 2 and 3 write that of pnpm. */
  const ALSO_READS: Record<string, string[]> = { 'yarn-audit': ['pnpm-audit'] };

  const { advisories = [], dependencies = [], secrets = [] } = GROUPS;
  for (const group of [advisories, dependencies, secrets, GROUPS['hosts and websites'] ?? []])
    it.each([...new Set(group.map(([format]) => format))])('is refused as a report of %s', (format) => {
      for (const [other, file] of group)
        if (other !== format && !ALSO_READS[format]?.includes(other))
          expect(() => imported(own(file), format), file).toThrow(ReportError);
    });

  it.each([
    ['gosec', '{}', 'This is no report of gosec'],
    ['bandit', own('semgrep.json'), 'This is no report of bandit but of semgrep'],
    ['semgrep', own('bandit.json'), 'This is no report of semgrep but of bandit'],
    ['eslint', JSON.stringify({ version: '2.1.0', runs: [] }), 'This is no report of eslint but of sarif'],
    ['eslint', '<checkstyle version="4.3" />', 'This is no report of eslint: it is xml'],
    ['tfsec', '{}', 'This is no report of tfsec: it is an empty object'],
  ])('is refused by --format %s, not imported as no findings', (format, report, message) => {
    expect(() => imported(report, format)).toThrow(message);
  });

  it.each([
    ['pip-audit', '{"fixes":[]}', 'The list is missing at dependencies'],
    ['grype', '{"descriptor":{"name":"grype"}}', 'The list is missing at matches'],
    ['osv-scanner', '{"experimental_config":{}}', 'The list is missing at results'],
    ['aws-inspector', '{"other": []}', 'expected a list'],
    ['kube-bench', '[{"other": 1}]', 'The report has no controls'],
  ])('is refused by --format %s if its list of results is missing', (format, report, message) => {
    expect(() => imported(report, format)).toThrow(message);
  });
});

describe('a report without findings', () => {
  it.each([
    ['aws-security-hub', '{"Findings": []}'],
    ['bundler-audit', 'No vulnerabilities found'],
    ['composer-audit', '{"advisories":[],"abandoned":[]}'],
    [
      'cyclonedx',
      '{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"type":"library","name":"a"}]}',
    ],
    ['detect-secrets', '{"version":"1.5.0","plugins_used":[],"results":{}}'],
    ['ggshield', '{"id":"1","type":"path_scan","total_incidents":0,"total_occurrences":0}'],
    ['gitlab-sast', '{"version":"2.3","vulnerabilities":[],"remediations":[]}'],
    ['gosec', '{"Issues":null,"Stats":{"files":1,"found":0}}'],
    ['grype', '{"matches":[],"descriptor":{"name":"grype"}}'],
    ['jfrog-xray', '{"total_rows":0,"rows":[]}'],
    ['mend', '{"vulnerabilities":[]}'],
    ['osv-scanner', '{"results":[],"experimental_config":{}}'],
    ['pip-audit', '{"dependencies":[]}'],
    ['prowler', own('infrastructure/cloud/prowler.csv').split('\n')[0] ?? ''],
    ['semgrep', '{"results":[],"errors":[]}'],
    ['semgrep', '{"results":[],"errors":[],"paths":{"scanned":[]}}'],
    ['snyk-api', '{"jsonapi":{"version":"1.0"},"data":[]}'],
    ['tfsec', '{"results": null}'],
    ['trivy', '{"SchemaVersion":2,"ArtifactName":"."}'],
    ['zap', '{"@version":"2.15.0","site":[]}'],
    ['zap', '<OWASPZAPReport version="2.9.0"></OWASPZAPReport>'],
  ])('is recognized as %s: %s', (format, report) => {
    expect(importReport(report, context)).toMatchObject({ format, findings: [], errors: [] });
  });

  it.each([
    ['eslint', '[]'],
    ['gitleaks', '[]'],
    ['gitleaks', 'null'],
    ['grype', '{"matches":null,"source":{}}'],
    ['noseyparker', ''],
    ['noseyparker', '[]'],
    ['nuclei', ''],
    ['pip-audit', '[]'],
    ['trivy', 'null'],
    ['trufflehog', ''],
    ['yarn-audit', ''],
  ])('is imported by --format %s: “%s”', (format, report) => {
    expect(importReport(report, context, { format })).toMatchObject({ format, findings: [], errors: [] });
  });
});

describe('results that are no open problems', () => {
  it.each<[file: string, skipped: Record<string, number>]>([
    ['code/brakeman.json', { 'they are in the ignore file': 1 }],
    ['code/checkmarx.xml', { 'they are marked as not exploitable': 1 }],
    ['code/checkmarx-osa.json', { 'they are marked as not exploitable': 1 }],
    ['code/eslint.json', { 'they are suppressed in the code': 1 }],
    ['code/github-code-scanning.json', { 'GitHub calls them dismissed as false positive': 1 }],
    ['code/github-secret-scanning.json', { 'GitHub calls them resolved as used in tests': 1 }],
    ['code/gosec.json', { 'they are suppressed in the code': 1 }],
    [
      'code/sonarqube.json',
      { 'they are resolved as false positives': 1, 'they are resolved as accepted': 1 },
    ],
    ['code/veracode.xml', { 'they are fixed': 1, 'their mitigation is accepted': 2 }],
    ['dependencies/dependency-check.json', { 'suppressed in Dependency-Check': 1 }],
    ['dependencies/dependency-check.xml', { 'suppressed in Dependency-Check': 1 }],
    ['dependencies/grype-0.7.json', { 'Grype ignored them': 1 }],
    ['dependencies/platforms/dependency-track.json', { 'suppressed in Dependency-Track': 1 }],
    ['dependencies/npm-audit-6.json', { 'muted in npm': 1 }],
    ['dependencies/platforms/dependabot-graphql.json', { 'dismissed in GitHub': 1, fixed: 1 }],
    ['dependencies/platforms/dependabot-rest.json', { 'dismissed in GitHub': 1 }],
    ['dependencies/snyk-api.json', { 'ignored in Snyk': 1, 'resolved in Snyk': 1 }],
    ['network/nexpose.xml', { 'they are accepted in InsightVM': 1 }],
    ['network/qualys.csv', { 'they are fixed': 1, 'they are ignored or false positives in Qualys': 1 }],
    ['network/qualys.xml', { 'they are fixed': 1 }],
    ['web/burp.xml', { 'they are marked as false positives': 1 }],
    ['web/invicti.json', { 'they are marked as false positives': 1, 'their risk was accepted': 1 }],
  ])('are counted: %s', (file, skipped) => {
    expect(importReport(own(file), context).skipped).toEqual(skipped);
  });
});

const NOT_RATED = 'Unknown severity “Unknown” of 1 result: rated as medium, or higher by the CVSS score';

describe('what a tool could not do', () => {
  it.each<[file: string, errors: string[], warnings?: string[]]>([
    ['code/brakeman.json', ['app/models/broken.rb:1 was not checked: Could not parse']],
    [
      'code/eslint.json',
      ['src/broken.js was not checked: Parsing error: Unexpected token'],
      ['dist/x.js: File ignored by default.'],
    ],
    ['code/fortify.fvdl', ['Fortify failed: Could not parse src/Broken.java']],
    [
      'code/gitlab-sast.json',
      ['src/broken.ts cannot be parsed', 'The scan failed'],
      ['The rules are old', NOT_RATED],
    ],
    ['code/sonarqube.json', []],
    ['dependencies/platforms/dependabot-rest.json', []],
    ['code/gosec.json', ['broken.go:3 was not checked: expected declaration']],
    [
      'code/spotbugs.xml',
      ['SpotBugs failed: Exception analyzing com.example.Broken'],
      ['Classes that are missing on the class path: org.example.Missing'],
    ],
    ['dependencies/dependency-check.json', ['The analysis was incomplete: OSS Index is not reachable']],
    ['dependencies/dependency-check.xml', ['The analysis was incomplete: OSS Index is not reachable']],
    [
      'dependencies/platforms/dependabot-graphql.json',
      ['GitHub reported an error: Timeout', 'The export has only the first page of alerts'],
    ],
    [
      'dependencies/platforms/gl-dependency-scanning-report.json',
      ['go.sum cannot be parsed'],
      ['A newer version exists', NOT_RATED],
    ],
    ['network/nexpose.xml', ['Tests that could not run: 1, such as example-broken at 192.0.2.10:443']],
    ['network/openvas.xml', ['The scan is not complete: Stopped', '192.0.2.11 general/tcp: NVT timed out']],
    [
      'network/testssl.csv',
      ['mail.example.org/192.0.2.12: Cannot connect'],
      ['shop.example.org/: No engine support'],
    ],
    ['secrets/trufflehog.jsonl', ['failed to scan repository: exit status 128']],
    ['web/acunetix.xml', ['The scan of https://shop.example.org:8443/start was aborted']],
    ['web/burp-api.json', ['The scan is not complete: failed (The host did not respond)']],
    ['web/qualys-was.xml', ['Nightly is not complete: Time limit reached']],
    ['web/wpscan.json', ['Vulnerabilities were not looked up: No WPScan API Token given']],
  ])('is an error, or a warning if results are complete: %s', (file, errors, warnings = []) => {
    expect(importReport(own(file), context)).toMatchObject({ errors, warnings });
  });
});

describe('identity', () => {
  type Change = [from: string | RegExp, to: string];

  const changed = (file: string, changes: readonly Change[]) =>
    changes.reduce((report, [from, to]) => {
      const other = report.replaceAll(from, to);
      expect(other, String(from)).not.toBe(report);
      return other;
    }, own(file));

  const LINES: Change = [/("(?:line|line_number|line_start)": ?"?)(\d+)/g, '$11$2'];

  it.each<[file: string, ...changes: Change[]]>([
    ['checkov.json', ['us-west-2', 'eu-central-1']],
    ['code/brakeman.json', ['"line": 9', '"line": 19']],
    ['code/checkmarx.xml', ['<Line>7</Line>', '<Line>70</Line>']],
    ['code/checkmarx-osa.json', ['"1.2.3"', '"1.2.3.1"']],
    ['code/checkmarx-one.json', ['"line": 57', '"line": 60'], ['parser-1.2.3', 'parser-1.2.3.1']],
    ['code/fortify.fvdl', ['"17"', '"40"']],
    ['code/github-code-scanning.json', ['"start_line": 12', '"start_line": 99'], ['alerts/7"', 'alerts/7x"']],
    ['code/gitlab-dast.json', ['token=Winter-2026!', 'token=x']],
    ['code/gitlab-fuzzing.json', ['parse.go:5', 'parse.go:9']],
    ['code/gitlab-sast.json', ['"start_line": 12', '"start_line": 30']],
    ['code/gitlab-secret-detection.json', ['"start_line": 5', '"start_line": 50']],
    ['code/gosec.json', ['11: func run(', '11: func start(']],
    [
      'code/gosec.json',
      ['11: ', '21: '],
      ['12: ', '22: '],
      ['13: ', '23: '],
      ['"line": "12"', '"line": "22"'],
    ],
    ['code/mobsf.json', ['23,27', '40']],
    ['code/mobsfscan.json', ['[7, 7]', '[12, 12]'], ['[9, 9]', '[14, 14]']],
    ['code/sonarqube.json', ['"line": 12', '"line": 40']],
    ['code/spotbugs.xml', ['start="12" end="12"', 'start="30" end="30"']],
    ['code/veracode.xml', ['line="27"', 'line="99"']],
    ['code/veracode-sca.json', ['1.2.3', '1.2.4']],
    ['dependencies/cyclonedx.json', ['shop:812', 'shop:813'], ['1.2.3', '1.2.3-r1'], ['"high"', '"low"']],
    ['dependencies/dependency-check.xml', ['1.2.3', '1.2.4'], ['0.9', '0.10'], ['/home/ci/.m2', '/root/.m2']],
    ['dependencies/npm-audit-6.json', ['1500', '109999'], ['0.0.8', '1.2.0']],
    ['dependencies/ossindex.json', ['1.2.3', '1.2.2']],
    ['dependencies/package-managers/bundler-audit.json', ['1.6.13', '1.6.12']],
    ['dependencies/package-managers/cargo-audit.json', ['1.2.3', '1.2.2']],
    ['dependencies/package-managers/pnpm-audit.json', ['1.2.3', '1.2.2']],
    ['dependencies/package-managers/yarn-audit-1.jsonl', ['1.2.3', '1.2.2']],
    ['dependencies/platforms/black-duck-binary-analysis.csv', ['1.2.13', '1.2.12']],
    [
      'dependencies/platforms/black-duck.csv',
      ['1.2.3', '1.2.2'],
      [',NEW,', ',NEEDS_REVIEW,'],
      [',LOW,', ',HIGH,'],
    ],
    ['dependencies/platforms/gl-container-scanning-report.json', [':812', ':813']],
    [
      'dependencies/platforms/dependency-track.json',
      ['1.2.3', '1.2.2'],
      ['"HIGH"', '"LOW"'],
      ['6a1d3f5e', '7b'],
    ],
    ['dependencies/platforms/mend-agent.json', ['0.3.19', '0.3.18']],
    ['dependencies/platforms/mend-platform.json', ['v3.2.2', 'v3.2.1']],
    ['dependencies/platforms/mend.json', ['1.2.3', '1.2.2'], ['/builds/team/app', '/home/ci/app']],
    ['dependencies/platforms/xray-report.json', ['812', '813'], ['1.2.3-3', '1.2.3-4']],
    ['dependencies/platforms/xray-scan.json', ['1.2.3', '1.2.2']],
    ['dependencies/retire.json', ['1.2.3', '1.2.2']],
    ['generic/defectdojo.json', ['"line": 42', '"line": 50'], ['order search', 'search of orders']],
    ['govulncheck.jsonl', ['"line": 17', '"line": 71'], ['"main"', '"run"'], ['v1.2.0', 'v1.1.9']],
    ['govulncheck.jsonl', ['"Document"', '"Stream"']],
    ['npm-audit.json', ['1096465', '1109555'], ['node_modules/mkdirp/', 'node_modules/x/']],
    [
      'nuclei.jsonl',
      ['c23b2la0kl1krjcrdj10cndmnioyyyyyn', 'd99b2la0kl1krjcrdj10cndmnioyyyyyn'],
      ['2mGZ0bq3Xk9VtYw8PjLhRsNcDfA', '2nHA1cr4Yl0WuZx9QkMiStOdEgB'],
      ['Winter26!', 'Summer27!'],
    ],
    ['osv-scanner.json', ['"version": "2.0.1"', '"version": "2.0.0"']],
    ['secrets/detect-secrets.json', LINES],
    ['secrets/ggshield.json', LINES],
    ['secrets/noseyparker.jsonl', LINES],
    ['secrets/trufflehog.jsonl', LINES],
    ['secrets/trufflehog3.json', LINES],
    [
      'snyk.json',
      [/(?<=[@"])4\.5\.0/g, '4.5.1'],
      ['builder@2.0.0', 'builder@2.0.9'],
      ['web@1.0.0', 'web@1.0.1'],
    ],
    [
      'trivy.json',
      ['build-812', 'build-813'],
      ['debian 12.4', 'debian 12.5'],
      ['1.2-3', '1.2-4'],
      ['2.14.1', '2.15.0'],
      ['"StartLine": 3', '"StartLine": 33'],
    ],
    ['network/nessus.xml', [/severity="\d"/g, 'severity="1"'], ['Installed version : 2.3', 'Found 2.2']],
    ['network/qualys.xml', ['<SEVERITY>4', '<SEVERITY>2'], ['TLSv1.0 is supported', 'other']],
    ['network/openvas.xml', ['<severity>9.8', '<severity>5.0'], ['Installed version: 1.0', 'other']],
    ['network/nmap.xml', ['host10.example.net', 'host11.example.net'], ['192.0.2.10', '192.0.2.77']],
    [
      'network/testssl.csv',
      ['offered (deprecated)', 'offered'],
      ['"LOW"', '"HIGH"'],
      ['192.0.2.10', '192.0.2.77'],
    ],
    ['network/nexpose.xml', ['severity="9"', 'severity="3"'], ['kernel 5.0', 'kernel 5.1']],
    ['web/burp.xml', ['>Firm<', '>Certain<'], ['>High<', '>Low<'], ['<serialNumber>1', '<serialNumber>9']],
    ['web/acunetix.xml', ['>high<', '>low<'], ['Scripting (SQL.script)', 'Other']],
    [
      'web/invicti.json',
      ['search?q=1', 'search?q=2'],
      ['"High"', '"Low"'],
      ['"Certainty": 100', '"Certainty": 90'],
    ],
    ['web/nikto.json', ['tldH5dDP', 'aB3dEfGh'], ['contents: HIT', 'contents: MISS']],
    ['web/wapiti.xml', ['next=1', 'next=2'], ['<level>4', '<level>2']],
    [
      'web/webinspect.xml',
      ['search?q=1', 'search?q=7'],
      ['<Severity>4', '<Severity>2'],
      ['>SQL Injection<', '>SQLi<'],
    ],
    ['web/arachni.json', ['search?q=1', 'search?q=2'], ['<xss_1/>', '<xss_2/>']],
    ['web/qualys-was.xml', ['search?q=1', 'search?q=7'], ['<SEVERITY>5', '<SEVERITY>2']],
    ['web/wpscan.json', ['"number": "5.2"', '"number": "5.1"'], ['"7.5"', '"3.1"']],
    ['web/sqlmap.csv', ['item?id=1', 'item?id=9'], [',BT,', ',U,']],
    ['zap.json', ['search?q=', 'find?q=']],
  ])('does not depend on lines, ratings, versions and evidence: %s', (file, ...changes) => {
    expect(fingerprints(imported(changed(file, changes)))).toEqual(fingerprints(imported(own(file))));
  });

  const located = Object.values(GROUPS)
    .flat()
    .filter(([, file]) => own(file).includes(`${context.directory}/`));

  it.each(located)('does not depend on the name of a linked directory: %s, %s', (_, file) => {
    const link = '/home/ci/link';
    const resolve = (path: string) =>
      `${path}/`.startsWith(`${link}/`) ? path.slice(link.length + 1) : undefined;
    const before = imported(own(file));
    const { findings } = importReport(own(file).replaceAll(context.directory, link), { ...context, resolve });
    expect(fingerprints(findings)).toEqual(fingerprints(before));
    expect(findings.map((found) => found.file)).toEqual(before.map((found) => found.file));
  });

  it.each<[file: string, from: string, to: string, ...indexes: number[]]>([
    ['code/brakeman.json', '"aa11"', '"aa12"', 0],
    ['code/checkmarx.xml', '1574221060', '1574221061', 0],
    ['code/checkmarx.xml', 'Stored_XSS', 'Other_XSS', 0],
    ['code/github-code-scanning.json', '"number": 7', '"number": 17', 0],
    ['code/github-code-scanning.json', 'example/shop', 'example/other', 0, 1],
    ['code/gitlab-dast.json', '"param": "q"', '"param": "r"', 0],
    ['code/gitlab-dast.json', '/search', '/find', 0],
    ['code/gitlab-dast.json', '"method": "GET"', '"method": "POST"', 0, 1],
    ['code/gitlab-dast.json', '"40012"', '"40014"', 0],
    ['code/gitlab-fuzzing.json', 'example.Parse', 'example.Scan', 0],
    ['code/gitlab-sast.json', 'readFile(name)', 'readFile(path)', 0],
    ['code/gitlab-secret-detection.json', 'AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN8EXAMPLE', 0],
    ['code/gosec.json', 'Command(name)', 'Command(other)', 0],
    ['code/mobsf.json', 'com.example.shop', 'com.example.other', 0, 1, 2, 3, 4, 5, 6, 7],
    ['code/sonarqube.json', '1de6211e', '2de6211e', 0],
    ['code/spotbugs.xml', 'name="run"', 'name="start"', 0],
    ['code/veracode.xml', 'issueid="18"', 'issueid="81"', 0],
    ['code/veracode.xml', 'app_id="77"', 'app_id="78"', 0, 1, 2],
    ['dependencies/cyclonedx.json', 'com/shop:', 'com/blog:', 0, 1, 2],
    ['dependencies/dependency-check.xml', 'app/lib/', 'app/other/', 0],
    ['dependencies/npm-audit-6.json', 'GHSA-vh95-rmgr-6w4m', 'GHSA-xvch-5gv4-984h', 1],
    ['dependencies/platforms/black-duck.csv', 'shop latest', 'blog latest', 0, 1],
    ['dependencies/platforms/dependency-track.json', '"INT-7"', '"INT-8"', 1],
    ['dependencies/platforms/gl-container-scanning-report.json', '/shop', '/blog', 0],
    ['dependencies/platforms/mend.json', '"shop"', '"blog"', 0],
    ['dependencies/platforms/xray-report.json', 'team/shop', 'team/blog', 0],
    ['govulncheck.jsonl', '"example.com/shop"', '"example.com/office"', 0, 1],
    ['npm-audit.json', 'GHSA-vh95-rmgr-6w4m', 'GHSA-vh95-rmgr-6w4n', 0],
    ['nuclei.jsonl', '/fetch', '/load', 3],
    ['osv-scanner.json', 'web/requirements', 'api/requirements', 0, 1, 2],
    ['secrets/detect-secrets.json', 'd70eab08', 'e70eab08', 1],
    ['trivy.json', 'team/shop', 'team/other', 0, 1, 2, 3, 4, 5, 6],
    ['trivy.json', 'aws_db_instance.shop', 'aws_db_instance.other', 3],
    ['network/nessus.xml', 'port="443"', 'port="444"', 0],
    ['network/nessus.xml', 'name="shop.example.org"', 'name="mail.example.org"', 0, 1, 2, 3, 4],
    ['network/nessus.xml', "named 'q'", "named 'page'", 3],
    ['network/qualys.xml', '<PORT>443', '<PORT>444', 0],
    ['network/openvas.xml', '443/tcp', '443/udp', 0],
    ['network/nmap.xml', 'CVE-2026-40001', 'CVE-2026-49999', 1],
    ['network/testssl.csv', '"DROWN"', '"ROBOT"', 1],
    ['network/nexpose.xml', 'key="/a"', 'key="/c"', 1],
    ['web/burp.xml', '[q parameter]', '[page parameter]', 0],
    ['web/burp.xml', '<![CDATA[/search]]>', '<![CDATA[/find]]>', 0, 1],
    ['web/dastardly.xml', 'value of the q request', 'value of the page request', 0],
    ['web/acunetix.xml', '<Parameter>q<', '<Parameter>page<', 0],
    ['web/invicti.json', '"Value": "q"', '"Value": "page"', 0],
    ['web/nikto.json', "'x-cache'", "'x-other'", 0],
    ['web/wapiti.xml', 'CSP is not set', 'HSTS is not set', 2],
    ['web/webinspect.xml', '>q</AttackParam', '>page</AttackParam', 0],
    ['web/webinspect.xml', '<VulnerabilityID>10302', '<VulnerabilityID>10303', 1],
    ['web/arachni.json', '"affected_input_name": "q"', '"affected_input_name": "page"', 0],
    ['web/qualys-was.xml', '<PARAM>q', '<PARAM>page', 0],
    ['web/wpscan.json', '8000-000000000002', '8000-000000000003', 1],
    ['web/sqlmap.csv', ',GET,id,', ',GET,page,', 0],
  ])('is another one for another problem: %s with %s as %s', (file, from, to, ...indexes) => {
    const before = fingerprints(imported(own(file)));
    const after = fingerprints(imported(changed(file, [[from, to]])));
    expect([...after.keys()].filter((index) => !before.includes(after[index] ?? ''))).toEqual(indexes);
  });

  it.each([
    ['code/fortify.fvdl', 'code/fortify.xml'],
    ['code/veracode-sca.json', 'code/veracode-sca.csv'],
    ['dependencies/dependency-check.xml', 'dependencies/dependency-check.json'],
    ['dependencies/package-managers/yarn-audit-1.jsonl', 'dependencies/package-managers/yarn-audit-4.jsonl'],
    ['generic/defectdojo.json', 'generic/defectdojo.csv'],
    ['infrastructure/cloud/prowler.ocsf.json', 'infrastructure/cloud/prowler.csv'],
    ['network/nessus.xml', 'network/nessus.csv'],
    ['web/burp.xml', 'web/burp-api.json'],
    ['web/webinspect.xml', 'web/webinspect-sessions.xml'],
    ['zap.json', 'zap.xml'],
  ])('is the same in every export of a tool: %s and %s', (one, other) => {
    expect(imported(own(one))[0]?.fingerprint).toBe(imported(own(other))[0]?.fingerprint);
  });
});
