import { z } from 'zod';
import { type Importer, read } from '../importer.ts';
import { describeFinding, excerpt, placeOf, plain } from '../markdown.ts';
import { identityOf, masking, possibleSecrets } from '../secrets.ts';
import { cweOf, fingerprintOf, relativePath, severityOf } from '../support.ts';

const Result = z.object({
  filename: z.string(),
  line_number: z.number().nullish(),
  issue_text: z.string(),
  issue_severity: z.string().nullish(),
  issue_confidence: z.string().nullish(),
  issue_cwe: z.object({ id: z.number().nullish(), link: z.string().nullish() }).nullish(),
  test_id: z.string(),
  test_name: z.string().nullish(),
  code: z.string().nullish(),
  more_info: z.string().nullish(),
});

/** `bandit -f json` */
export const bandit: Importer = {
  name: 'bandit',

  detects: (report) => {
    const [document] = report.kind === 'json' ? report.documents : [];
    const results = (document as { results?: unknown })?.results;
    return (
      Array.isArray(results) && 'metrics' in (document as object) && 'generated_at' in (document as object)
    );
  },

  findings(report, context) {
    const [document] = report.kind === 'json' ? report.documents : [];
    const { results } = read(z.object({ results: z.array(Result) }), document);
    const found = results.map((result) => {
      const file = relativePath(result.filename, context);
      const secrets = HARDCODED_PASSWORD.test(result.test_id) ? passwordsIn(result) : [];
      return { result, place: { file, line: result.line_number, secrets } };
    });
    const masked = masking(found.map(({ place }) => place));
    return found.map(({ result, place }) => {
      const shown = masked(place);
      const { file, line } = place;
      const name = [result.test_id, result.test_name].filter(Boolean).join(' ');
      const source = sourceOf(result) || result.issue_text;
      return {
        fingerprint: fingerprintOf('bandit', result.test_id, file, ...identityOf(source, place.secrets)),
        title: `${name}: ${shown(result.issue_text)}`,
        severity: severityOf(result.issue_severity),
        description: describeFinding({
          what: plain(shown(result.issue_text)),
          facts: { Test: name, Location: placeOf(file, line), Confidence: result.issue_confidence },
          snippet: excerpt(shown(result.code ?? '')),
          references: [result.more_info, result.issue_cwe?.link],
        }),
        cwe: cweOf(result.issue_cwe?.id),
        file,
        line: line ?? undefined,
      };
    });
  },
};

/** The lines in question, without the numbers in front of them: those change when code moves. */
const sourceOf = ({ code }: z.output<typeof Result>) => (code ?? '').replace(/^\d+ /gm, '');

/** The message of these tests quotes the password. */
const HARDCODED_PASSWORD = /^B10[567]$/;

function passwordsIn(result: z.output<typeof Result>): string[] {
  const [, password] = /: '(.*)'$/s.exec(result.issue_text) ?? [];
  const source = sourceOf(result);
  // In the source it may be written otherwise, with escapes.
  return password !== undefined && source.includes(password)
    ? [password]
    : [password ?? '', ...possibleSecrets(result.issue_text, { prose: true }), ...possibleSecrets(source)];
}
