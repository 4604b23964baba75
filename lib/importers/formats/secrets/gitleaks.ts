import { z } from 'zod';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, read } from '../../importer.ts';
import { describeFinding, escapeMarkdown, excerpt, formatLocation, toStrings } from '../../markdown.ts';
import { createMasker, maskSecrets, sourceIdentity } from '../../secrets.ts';
import { relativePath } from '../../support.ts';

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
  about: {
    tool: '[Gitleaks](https://gitleaks.io)',
    command: '`gitleaks dir . -f json -r report.json`',
    versions: '7 to 8.30',
    identity: 'rule, file, secret',
    severity: 'high',
  },

  detects: (report) => {
    const [leaks] = report.kind === 'json' ? report.documents : [];
    if (!Array.isArray(leaks)) return false;
    // No other scanner reports no findings as an empty list.
    return (
      leaks.length === 0 || ['RuleID', 'Secret', 'File'].every((key) => Object.hasOwn(leaks[0] ?? {}, key))
    );
  },

  results(report, context) {
    const [document] = report.kind === 'json' ? report.documents : [];
    const entries = read(z.array(Leak), document).map((leak) => {
      const file = relativePath(maskSecrets(leak.File ?? '', leak.Secret), context);
      return { leak, location: { file, line: leak.StartLine, secrets: toStrings(leak.Secret) } };
    });
    const maskerFor = createMasker(entries.map(({ location }) => location));
    return entries.map(({ leak, location }) => {
      const mask = maskerFor(location);
      const { file, line } = location;
      const { RuleID: rule, Match: match, Secret: secret, Commit: commit } = leak;
      // If the match does not contain the secret, it is unknown which part to mask.
      const masked = secret && match?.includes(secret) ? mask(match) : '';
      const snippet = secret && masked.includes(secret) ? '' : masked;
      return {
        // Like the fingerprint of Gitleaks, but without the line.
        identify: () =>
          fingerprintOf(
            'gitleaks',
            rule,
            file,
            commit,
            ...sourceIdentity(match ?? secret ?? '', location.secrets),
          ),
        title: `Secret (${rule})${file ? ` in ${file}` : ''}`,
        severity: 'high' as const,
        description: describeFinding({
          what: escapeMarkdown(mask(leak.Description ?? '')) || 'A secret was found.',
          facts: {
            Rule: rule,
            Location: formatLocation(file, line),
            Commit: commit,
            'Commit message': mask(leak.Message ?? '').split('\n')[0],
            Date: leak.Date,
            Tags: mask(toStrings(leak.Tags).join(', ')),
          },
          snippet: excerpt(snippet),
          fix: 'Revoke the secret and issue a new one, because the history keeps what was committed. Then remove it from the code.',
          references: [mask(leak.Link ?? '')],
        }),
        cwe: 'CWE-798',
        file,
        line: line ?? undefined,
      };
    });
  },
};
