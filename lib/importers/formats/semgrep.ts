import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import {
  type Identify,
  type ImportContext,
  type Result as Imported,
  type Importer,
  readAt,
} from '../importer.ts';
import { documentOf } from '../read/report.ts';
import { list } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf, cweOf, relativePath, severityIn } from '../support.ts';
import {
  codeBlock,
  describeFinding,
  excerpt,
  firstSentence,
  formatLocation,
  inlineCode,
  joined,
  sanitizeMarkdown,
  toStrings,
} from '../text/markdown.ts';
import { recordAll } from '../text/notices.ts';
import { isSecretRule, mapMasked, secretCandidates } from '../text/secrets.ts';
import { isPlatformReport, resultsOfPlatform } from '../tools/semgrep-platform.ts';
import { Failure, Result, type Step } from '../tools/semgrep-schema.ts';

/** `semgrep scan --json`, and answers of the API of Semgrep AppSec Platform */
export const semgrep: Importer = {
  name: 'semgrep',
  about: {
    tool: '[Semgrep](https://semgrep.dev)',
    command:
      '`semgrep scan --json -o report.json`, or the answer of the findings API of Semgrep AppSec Platform',
    versions: '0.96 to 1.182',
    identity: 'rule, file, flagged lines, function',
  },

  detects: (report) => {
    const document = documentOf(report);
    return isScanReport(document) || isPlatformReport(document);
  },

  results(report, context) {
    const document = documentOf(report);
    return isPlatformReport(document)
      ? resultsOfPlatform(document, context)
      : resultsOfScan(document, context);
  },
};

function isScanReport(document: unknown): boolean {
  const [results, errors] = [property(document, 'results'), property(document, 'errors')];
  if (!Array.isArray(results) || !Array.isArray(errors)) return false;
  const [first] = results;
  if (results.length > 0)
    return ['check_id', 'path', 'extra'].every((key) => Object.hasOwn(first ?? {}, key));
  // Early versions write nothing else if they find nothing.
  return isObject(property(document, 'paths')) || Object.keys(document as object).length === 2;
}

function resultsOfScan(document: unknown, context: ImportContext): Imported[] {
  recordErrors(document, context);
  const results = readAt(Result, document, 'results', context);
  const reported = results.filter(({ extra }) => !extra.is_ignored);
  context.skip('a comment in the code ignores them (nosemgrep)', results.length - reported.length);
  const entries = reported.map((result) => {
    const { check_id: rule, extra } = result;
    const file = relativePath(result.path, context);
    const cwe = cweOf(...toStrings(extra.metadata?.cwe));
    const lines = ifProvided(extra.lines);
    const isSecret = VALIDATION_STATES.get(extra.validation_state ?? '') || isSecretRule(rule, cwe);
    const secrets = isSecret
      ? secretCandidates(lines ?? '').concat(secretCandidates(extra.message ?? '', { prose: true }))
      : [];
    return { result, cwe, lines, location: { file, line: result.start?.line, secrets } };
  });
  return mapMasked(entries, context, (entry, mask) => toResult(entry, mask, context));
}

interface Entry {
  result: Result;
  cwe: string | undefined;
  /** The flagged lines, if Semgrep provides them. */
  lines: string | undefined;
  location: { file: string | undefined; line: number | undefined; secrets: string[] };
}

function toResult(entry: Entry, mask: (text: string) => string, context: ImportContext): Imported {
  const { result, cwe, lines, location } = entry;
  const { check_id: rule, extra } = result;
  const { file, line } = location;
  const metadata = extra.metadata ?? {};
  const dependency = extra.sca_info?.dependency_match?.found_dependency;
  const message = extra.message ?? '';
  return {
    entries: [result],
    ...identityOf(entry, context),
    title: mask(joined([rule.split('.').at(-1), firstSentence(message)], ': ')),
    rule_id: rule,
    severity: severityIn(SEVERITIES, extra.severity),
    description: describeFinding({
      what: sanitizeMarkdown(mask(message)),
      facts: {
        Rule: rule,
        Location: formatLocation(file, line),
        Package: dependency?.package && `${dependency.package} ${dependency.version ?? ''}`,
        Reachable: extra.sca_info?.reachable?.toString(),
        Secret: VALIDATION_STATES.get(extra.validation_state ?? ''),
        Confidence: toStrings(metadata.confidence)[0],
        Likelihood: toStrings(metadata.likelihood)[0],
        Impact: toStrings(metadata.impact)[0],
        OWASP: toStrings(metadata.owasp).join(', '),
      },
      snippet: excerpt(lines && mask(lines)),
      fix: extra.fix && `Replace it with:\n\n${codeBlock(mask(extra.fix))}`,
      details: describeFlow(result, mask, context),
      references: [
        ...toStrings(metadata.references),
        ...toStrings(metadata.source),
        ...toStrings(metadata.shortlink),
      ],
    }),
    cwe,
    cve: cveOf(...toStrings(metadata['sca-vuln-database-identifier']), ...toStrings(metadata.cve)),
    file,
    line,
    column: result.start?.col,
  };
}

/** Semgrep writes “requires login” for values that it reveals to customers only. */
const ifProvided = (value: string | undefined) =>
  value?.trim() && value !== 'requires login' ? value : undefined;

/** The result of Semgrep's validation of a secret. */
const VALIDATION_STATES = new Map(
  Object.entries({
    CONFIRMED_VALID: 'valid, tested by Semgrep',
    CONFIRMED_INVALID: 'not valid, tested by Semgrep',
    VALIDATION_ERROR: 'could not be tested',
  }),
);

/** The older severities of Semgrep. Its documentation equates the first three with high, medium and low. */
const SEVERITIES = {
  error: 'high',
  warning: 'medium',
  info: 'low',
  inventory: 'info',
  experiment: 'info',
} as const;

/**
 * Semgrep's own fingerprint is not used: it ends with the position among equal matches of the rule in the file, so that a
 * match takes over the fingerprint of one that was removed.
 */
function identityOf({ result, lines, location }: Entry, context: ImportContext) {
  const { check_id: rule, extra } = result;
  const name = extra.sca_info?.dependency_match?.found_dependency?.package;
  const former = (...source: string[]): Identify => {
    return (file) => fingerprintOf('semgrep', rule, file, name, ...source);
  };
  const earlier: Pick<Imported, 'identifyVaguely'> = {
    identifyVaguely: lines
      ? former(...sourceIdentity(lines, location.secrets))
      : former(
          ...(ifProvided(extra.fingerprint)
            ? [extra.fingerprint ?? '']
            : sourceIdentity((extra.message ?? '').replace(/\d+/g, '0'), location.secrets)),
        ),
  };
  // The result is in a lock file, whose lines change with every version.
  if (name && !extra.sca_info?.reachable) {
    const identify: Identify = (file) => fingerprintOf('semgrep', rule, file, 'package', name);
    return { ...earlier, identify, repeats: true };
  }
  const place = { ...location, endLine: result.end?.line, column: result.start?.col, code: lines };
  return { ...earlier, identify: identifyCode('semgrep', [rule, name], place, context) };
}

const MAX_STEPS = 30;

/** How tainted data reaches the result. */
function describeFlow({ extra }: Result, mask: (text: string) => string, context: ImportContext) {
  const { taint_source, intermediate_vars = [], taint_sink } = extra.dataflow_trace ?? {};
  const labelled: [string, Step | undefined][] = [
    ['source', taint_source],
    ...intermediate_vars.slice(0, MAX_STEPS).map((step): [string, Step] => ['through', step]),
    ['sink', taint_sink],
  ];
  const steps = labelled.flatMap(([label, step]) => {
    const place = formatLocation(relativePath(step?.location?.path, context), step?.location?.start?.line);
    const content = ifProvided(step?.content);
    return place ? [`${inlineCode(place)} (${label})${content ? ` ${inlineCode(mask(content))}` : ''}`] : [];
  });
  if (steps.length < 2) return undefined;
  return ['Data flow:', '', ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n');
}

/** Errors make the result incomplete: a rule, a file or everything was not checked. */
function recordErrors(document: unknown, context: ImportContext): void {
  const failures = list(Failure).parse(property(document, 'errors'));
  const messageOf = (failure: Failure) => {
    const text = failure.message ?? failure.long_msg ?? failure.short_msg ?? failure.type ?? 'unknown error';
    const subject = failure.path ?? failure.rule_id;
    return subject && !text.includes(subject) ? `${subject}: ${text}` : text;
  };
  const isWarning = ({ level }: Failure) => /^(?:warn|info)/i.test(level ?? '');
  recordAll(
    context.error,
    failures.filter((failure) => !isWarning(failure)).map((failure) => `Semgrep: ${messageOf(failure)}`),
  );
  recordAll(
    context.warn,
    failures.filter(isWarning).map((failure) => `Semgrep: ${messageOf(failure)}`),
  );
}
