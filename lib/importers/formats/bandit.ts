import { z } from 'zod';
import { type Importer, read } from '../importer.ts';
import { describeFinding, escapeMarkdown, excerpt, formatLocation } from '../markdown.ts';
import { createMasker, secretCandidates, sourceIdentity } from '../secrets.ts';
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
    const entries = results.map((result) => {
      const file = relativePath(result.filename, context);
      const secrets = HARDCODED_PASSWORD.test(result.test_id) ? passwordsIn(result) : [];
      return { result, location: { file, line: result.line_number, secrets } };
    });
    const maskerFor = createMasker(entries.map(({ location }) => location));
    return entries.map(({ result, location }) => {
      const mask = maskerFor(location);
      const { file, line } = location;
      const name = [result.test_id, result.test_name].filter(Boolean).join(' ');
      const source = sourceOf(result) || result.issue_text;
      return {
        fingerprint: fingerprintOf(
          'bandit',
          result.test_id,
          file,
          ...sourceIdentity(source, location.secrets),
        ),
        title: `${name}: ${mask(result.issue_text)}`,
        severity: severityOf(result.issue_severity),
        description: describeFinding({
          what: escapeMarkdown(mask(result.issue_text)),
          facts: { Test: name, Location: formatLocation(file, line), Confidence: result.issue_confidence },
          snippet: excerpt(mask(result.code ?? '')),
          references: [result.more_info, result.issue_cwe?.link],
        }),
        cwe: cweOf(result.issue_cwe?.id),
        file,
        line: line ?? undefined,
      };
    });
  },
};

/** The source lines without line numbers, which change when code moves. */
const sourceOf = ({ code }: z.output<typeof Result>) => (code ?? '').replace(/^\d+ /gm, '');

/** Tests whose message contains the password. */
const HARDCODED_PASSWORD = /^B10[567]$/;

function passwordsIn(result: z.output<typeof Result>): string[] {
  const [, password] = /: '(.*)'$/s.exec(result.issue_text) ?? [];
  const source = sourceOf(result);
  // The source may contain the password with escapes.
  return password !== undefined && source.includes(password)
    ? [password]
    : [password ?? '', ...secretCandidates(result.issue_text, { prose: true }), ...secretCandidates(source)];
}
