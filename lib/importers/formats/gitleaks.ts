import { z } from 'zod';
import { type Importer, read } from '../importer.ts';
import { describeFinding, excerpt, placeOf, plain, texts } from '../markdown.ts';
import { identityOf, masking, withoutSecrets } from '../secrets.ts';
import { fingerprintOf, relativePath } from '../support.ts';

const text = z.string().nullish();

const Leak = z.object({
  RuleID: z.string(),
  Description: text,
  StartLine: z.number().nullish(),
  Match: text,
  Secret: text,
  File: text,
  Commit: text,
  Date: text,
  Message: text,
  Link: text,
  Tags: z.unknown().optional(),
});

/** `gitleaks git|dir --report-format json` (8 and later) */
export const gitleaks: Importer = {
  name: 'gitleaks',

  detects: (report) => {
    const [leaks] = report.kind === 'json' ? report.documents : [];
    if (!Array.isArray(leaks)) return false;
    // No other scanner writes an empty list when it has found nothing.
    return (
      leaks.length === 0 || ['RuleID', 'Secret', 'File'].every((key) => Object.hasOwn(leaks[0] ?? {}, key))
    );
  },

  findings(report, context) {
    const [document] = report.kind === 'json' ? report.documents : [];
    const found = read(z.array(Leak), document).map((leak) => {
      const file = relativePath(withoutSecrets(leak.File ?? '', leak.Secret), context);
      return { leak, place: { file, line: leak.StartLine, secrets: texts(leak.Secret) } };
    });
    const maskedAt = masking(found.map(({ place }) => place));
    return found.map(({ leak, place }) => {
      const shown = maskedAt(place);
      const { file, line } = place;
      const { RuleID: rule, Match: match, Secret: secret, Commit: commit } = leak;
      // Without the secret it is not known what of the match to mask.
      const masked = secret && match?.includes(secret) ? shown(match) : '';
      const snippet = secret && masked.includes(secret) ? '' : masked;
      return {
        // As Gitleaks' own, but for the line.
        fingerprint: fingerprintOf(
          'gitleaks',
          rule,
          file,
          commit,
          ...identityOf(match ?? secret ?? '', place.secrets),
        ),
        title: `Secret (${rule})${file ? ` in ${file}` : ''}`,
        severity: 'high' as const,
        description: describeFinding({
          what: plain(shown(leak.Description ?? '')) || 'A secret was found.',
          facts: {
            Rule: rule,
            Location: placeOf(file, line),
            Commit: commit,
            'Commit message': shown(leak.Message ?? '').split('\n')[0],
            Date: leak.Date,
            Tags: shown(texts(leak.Tags).join(', ')),
          },
          snippet: excerpt(snippet),
          fix: 'Revoke the secret and issue a new one: whatever was committed stays readable in the history. Then take it out of the code.',
          references: [shown(leak.Link ?? '')],
        }),
        cwe: 'CWE-798',
        file,
        line: line ?? undefined,
      };
    });
  },
};
