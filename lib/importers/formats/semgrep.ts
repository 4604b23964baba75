import { z } from 'zod';
import type { Severity } from '../finding.ts';
import { type Importer, read } from '../importer.ts';
import { beginning, code, describeFinding, excerpt, markdown, placeOf, texts } from '../markdown.ts';
import { findsSecrets, identityOf, masking, possibleSecrets } from '../secrets.ts';
import { cveOf, cweOf, fingerprintOf, relativePath, severityOf } from '../support.ts';

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

/** Semgrep's older words; its docs set them equal to high, medium and low. */
const SEVERITIES = new Map<string, Severity>(
  Object.entries({
    ERROR: 'high',
    WARNING: 'medium',
    INFO: 'low',
    INVENTORY: 'info',
    EXPERIMENT: 'info',
  } as const),
);

/** Whether a secret works, as far as Semgrep tried it. */
const VALIDATED = new Map(
  Object.entries({
    CONFIRMED_VALID: 'valid, tried by Semgrep',
    CONFIRMED_INVALID: 'not valid, tried by Semgrep',
    VALIDATION_ERROR: 'could not be tried',
  }),
);

/** Semgrep puts these words where only its customers get a value. */
const given = (value: string | undefined | null) =>
  value?.trim() && value !== 'requires login' ? value : undefined;

/** `semgrep scan --json` */
export const semgrep: Importer = {
  name: 'semgrep',

  detects: (report) => {
    const [document] = report.kind === 'json' ? report.documents : [];
    const { results, errors, paths } = (document ?? {}) as Record<string, unknown>;
    if (!Array.isArray(results) || !Array.isArray(errors)) return false;
    return results.length > 0
      ? ['check_id', 'path', 'extra'].every((key) => Object.hasOwn(results[0] ?? {}, key))
      : typeof paths === 'object' && paths !== null;
  },

  findings(report, context) {
    const [document] = report.kind === 'json' ? report.documents : [];
    const { results } = read(z.object({ results: z.array(Result) }), document);
    const found = results
      .filter(({ extra }) => !extra.is_ignored)
      .map((result) => {
        const { check_id: rule, extra } = result;
        const file = relativePath(result.path, context);
        const cwe = cweOf(...texts(extra.metadata?.cwe));
        const lines = given(extra.lines);
        const isSecret = VALIDATED.get(extra.validation_state ?? '') || findsSecrets(rule, cwe);
        const secrets = isSecret
          ? possibleSecrets(lines ?? '').concat(possibleSecrets(extra.message ?? '', { prose: true }))
          : [];
        return { result, cwe, lines, place: { file, line: result.start?.line, secrets } };
      });
    const masked = masking(found.map(({ place }) => place));
    return found.map(({ result: { check_id: rule, extra }, cwe, lines, place }) => {
      const shown = masked(place);
      const { file, line } = place;
      const metadata = extra.metadata ?? {};
      const dependency = extra.sca_info?.dependency_match?.found_dependency;
      const message = extra.message ?? '';
      const identity = lines
        ? identityOf(lines, place.secrets)
        : given(extra.fingerprint)
          ? [given(extra.fingerprint)]
          : identityOf(message.replace(/\d+/g, '0'), place.secrets);
      return {
        fingerprint: fingerprintOf('semgrep', rule, file, dependency?.package, ...identity),
        title: shown([rule.split('.').at(-1), beginning(message)].filter(Boolean).join(': ')),
        severity: SEVERITIES.get(extra.severity ?? '') ?? severityOf(extra.severity, 'medium'),
        description: describeFinding({
          what: markdown(shown(message)),
          facts: {
            Rule: rule,
            Location: placeOf(file, line),
            Package: dependency?.package && `${dependency.package} ${dependency.version ?? ''}`,
            Reachable: extra.sca_info?.reachable?.toString(),
            Secret: VALIDATED.get(extra.validation_state ?? ''),
            Confidence: texts(metadata.confidence)[0],
            Likelihood: texts(metadata.likelihood)[0],
            Impact: texts(metadata.impact)[0],
            OWASP: texts(metadata.owasp).join(', '),
          },
          snippet: excerpt(lines && shown(lines)),
          fix: extra.fix && `Replace it with:\n\n${code(shown(extra.fix))}`,
          references: [
            ...texts(metadata.references),
            ...texts(metadata.source),
            ...texts(metadata.shortlink),
          ],
        }),
        cwe,
        cve: cveOf(...texts(metadata['sca-vuln-database-identifier']), ...texts(metadata.cve)),
        file,
        line,
      };
    });
  },
};
