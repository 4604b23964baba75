import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, type Result, read } from '../importer.ts';
import {
  cweOfVulnerability,
  flagsOf,
  type GitlabVulnerability,
  gitlabScanOf,
  gitlabSeverity,
  linksOf,
  ruleOf,
  scannedVulnerabilities,
} from '../kinds/gitlab.ts';
import { fields, text } from '../read/schema.ts';
import { nameIn } from '../scanned.ts';
import { cveOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { describeFinding, escapeMarkdown, inlineCode, joined, sanitizeMarkdown } from '../text/markdown.ts';
import { isSecretRule } from '../text/secrets.ts';

const Location = z.object(
  fields(text, 'hostname', 'path', 'method', 'param', 'crash_type', 'crash_state', 'stacktrace_snippet'),
);

/** `gl-dast-report.json` */
export const gitlabDast: Importer = {
  name: 'gitlab-dast',
  about: {
    tool: '[GitLab DAST](https://docs.gitlab.com/user/application_security/dast/)',
    command: 'the artifact `gl-dast-report.json` of the job',
    versions: 'schema 13.1; also without the fields that 15 removed',
    identity: 'first identifier, host, method, path, parameter',
  },
  detects: (report) => gitlabScanOf(report) === 'dast',
  category: (report) => nameIn(report, 'scan', 'analyzer', 'id'),

  results: (report, context) => {
    const { found, scanner } = scannedVulnerabilities(report, ['dast'], context);
    return found.map((vulnerability) => resultOf('gitlab-dast', vulnerability, scanner));
  },
};

/** `gl-api-security-report.json`, and `gl-coverage-fuzzing-report.json` */
export const gitlabFuzzing: Importer = {
  name: 'gitlab-fuzzing',
  about: {
    tool: '[GitLab fuzzing](https://docs.gitlab.com/user/application_security/api_fuzzing/) of APIs and code',
    command: 'the artifact `gl-api-fuzzing-report.json` or `gl-coverage-fuzzing-report.json` of the job',
    versions: 'schema 3.0, of coverage fuzzing',
    identity: 'first identifier, and the crash or the request',
  },
  detects: (report) => KINDS.includes(gitlabScanOf(report) ?? ''),
  results: (report, context) => {
    const { found, scanner } = scannedVulnerabilities(report, KINDS, context);
    return found.map((vulnerability) => resultOf('gitlab-fuzzing', vulnerability, scanner));
  },
};

const KINDS = ['api_fuzzing', 'coverage_fuzzing'];

function resultOf(tool: string, vulnerability: GitlabVulnerability, scanner: string | undefined): Result {
  const location = read(Location, vulnerability.location);
  const { hostname, path, method, param, crash_type: crash, crash_state: state } = location;
  const [type, rule] = ruleOf(vulnerability);
  const url = `${hostname ?? ''}${path ?? ''}`;
  const name = vulnerability.name ?? vulnerability.message ?? nameOf(vulnerability) ?? rule;
  const summary = vulnerability.evidence?.summary;
  const where = joined([method && inlineCode(method), url && inlineCode(maskCredentials(url))], ' ');
  return {
    entries: [vulnerability],
    identify: () =>
      fingerprintOf(tool, type, rule, hostname, method, path?.replace(/[?#].*$/s, ''), param, crash, state),
    title: `${maskCredentials(name)}${crash ? `: ${crash}` : ''}${path ? ` in ${maskCredentials(path)}` : ''}`,
    rule_id: maskCredentials(rule),
    severity: gitlabSeverity(vulnerability),
    description: describeFinding({
      what: sanitizeMarkdown(maskCredentials(vulnerability.description ?? '')) || escapeMarkdown(name),
      facts: {
        Rule: rule,
        Parameter: param,
        Confidence: vulnerability.confidence,
        Scanner: vulnerability.scanner?.name ?? scanner,
        Flags: flagsOf(vulnerability),
        Crash: crash,
      },
      where: where ? `- ${where}` : undefined,
      snippet: maskCredentials(joined([state, location.stacktrace_snippet], '\n')),
      fix: sanitizeMarkdown(vulnerability.solution ?? ''),
      details: summary && !isPrivate(vulnerability) ? escapeMarkdown(maskCredentials(summary)) : undefined,
      references: linksOf(vulnerability),
    }),
    cwe: cweOfVulnerability(vulnerability),
    cve: cveOf(...vulnerability.identifiers.map(({ value }) => value)),
  };
}

/** Identifiers of version 15 name the alert. */
const nameOf = ({ identifiers }: GitlabVulnerability) =>
  identifiers.find(({ type }) => !/^(?:cwe|wasc|owasp)/i.test(type ?? ''))?.name;

/** Whether the evidence may be a secret or personal data. */
const isPrivate = (vulnerability: GitlabVulnerability) =>
  isSecretRule(
    vulnerability.name,
    vulnerability.message,
    nameOf(vulnerability),
    cweOfVulnerability(vulnerability),
  ) ||
  /\bPII\b|personal|credit card|CWE-359/i.test(
    [vulnerability.name, vulnerability.message, vulnerability.description, nameOf(vulnerability)].join(' '),
  );
