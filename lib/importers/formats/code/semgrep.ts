import { z } from 'zod';
import type { Severity } from '../../finding.ts';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, read } from '../../importer.ts';
import {
  codeBlock,
  describeFinding,
  excerpt,
  firstSentence,
  formatLocation,
  sanitizeMarkdown,
  toStrings,
} from '../../markdown.ts';
import { createMasker, isSecretRule, secretCandidates, sourceIdentity } from '../../secrets.ts';
import { cveOf, cweOf, relativePath, severityOf } from '../../support.ts';

const text = z.string().nullish();

const Result = z.object({
  check_id: z.string(),
  path: z.string(),
  start: z.object({ line: z.number() }).nullish(),
  extra: z.object({
    message: text,
    severity: text,
    lines: text,
    fingerprint: text,
    fix: text,
    is_ignored: z.boolean().nullish(),
    validation_state: text,
    metadata: z.record(z.string(), z.unknown()).nullish(),
    sca_info: z
      .object({
        reachable: z.boolean().nullish(),
        dependency_match: z
          .object({ found_dependency: z.object({ package: text, version: text }).nullish() })
          .nullish(),
      })
      .nullish(),
  }),
});

/** The older severities of Semgrep. Its documentation equates the first three with high, medium and low. */
const SEVERITIES = new Map<string, Severity>(
  Object.entries({
    ERROR: 'high',
    WARNING: 'medium',
    INFO: 'low',
    INVENTORY: 'info',
    EXPERIMENT: 'info',
  } as const),
);

/** The result of Semgrep's validation of a secret. */
const VALIDATION_STATES = new Map(
  Object.entries({
    CONFIRMED_VALID: 'valid, tested by Semgrep',
    CONFIRMED_INVALID: 'not valid, tested by Semgrep',
    VALIDATION_ERROR: 'could not be tested',
  }),
);

/** Semgrep writes “requires login” for values that it reveals to customers only. */
const ifProvided = (value: string | undefined | null) =>
  value?.trim() && value !== 'requires login' ? value : undefined;

/** `semgrep scan --json` */
export const semgrep: Importer = {
  name: 'semgrep',
  about: {
    tool: '[Semgrep](https://semgrep.dev)',
    command: '`semgrep scan --json -o report.json`',
    versions: '0.80 to 1.140',
    identity: 'rule, file, flagged lines, function',
    severity: '`severity`',
  },

  detects: (report) => {
    const [document] = report.kind === 'json' ? report.documents : [];
    const { results, errors, paths } = (document ?? {}) as Record<string, unknown>;
    if (!Array.isArray(results) || !Array.isArray(errors)) return false;
    return results.length > 0
      ? ['check_id', 'path', 'extra'].every((key) => Object.hasOwn(results[0] ?? {}, key))
      : typeof paths === 'object' && paths !== null;
  },

  results(report, context) {
    const [document] = report.kind === 'json' ? report.documents : [];
    const { results } = read(z.object({ results: z.array(Result) }), document);
    const entries = results
      .filter(({ extra }) => !extra.is_ignored)
      .map((result) => {
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
    const maskerFor = createMasker(entries.map(({ location }) => location));
    return entries.map(({ result: { check_id: rule, extra }, cwe, lines, location }) => {
      const mask = maskerFor(location);
      const { file, line } = location;
      const metadata = extra.metadata ?? {};
      const dependency = extra.sca_info?.dependency_match?.found_dependency;
      const message = extra.message ?? '';
      const identity = lines
        ? sourceIdentity(lines, location.secrets)
        : ifProvided(extra.fingerprint)
          ? [ifProvided(extra.fingerprint)]
          : sourceIdentity(message.replace(/\d+/g, '0'), location.secrets);
      return {
        identify: () => fingerprintOf('semgrep', rule, file, dependency?.package, ...identity),
        title: mask([rule.split('.').at(-1), firstSentence(message)].filter(Boolean).join(': ')),
        severity: SEVERITIES.get(extra.severity ?? '') ?? severityOf(extra.severity, 'medium'),
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
      };
    });
  },
};
