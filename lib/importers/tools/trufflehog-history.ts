import { z } from 'zod';
import { type ImportContext, readList } from '../importer.ts';
import { fields, requiredText, text, texts } from '../read/schema.ts';
import { isObject } from '../read/values.ts';
import type { FoundSecret } from './secret-results.ts';

/** A finding of TruffleHog 2, and of the first releases of trufflehog3. */
const HistoryFinding = z.object({
  reason: requiredText,
  ...fields(text, 'path', 'branch', 'commitHash', 'date', 'diff'),
  stringsFound: texts,
});

export const isHistoryFinding = (value: unknown): boolean =>
  isObject(value) &&
  Array.isArray(value.stringsFound) &&
  ['reason', 'commitHash', 'branch'].every((name) => name in value);

/** The secrets in the changes of commits: each text that a rule matched. */
export function secretsInHistory(findings: unknown[], context: ImportContext): FoundSecret[] {
  return readList(HistoryFinding, findings, '', context).flatMap((found) =>
    found.stringsFound.map((matched): FoundSecret => {
      const secret = secretOf(matched, found.diff);
      return {
        rule: found.reason,
        path: found.path,
        commit: found.commitHash,
        secret,
        secrets: [secret, ...partsOf(matched)],
        severity: /entropy/i.test(found.reason) ? 'medium' : 'high',
        // Without the commit message, which may contain the secret of another finding.
        facts: { Branch: found.branch, Date: found.date },
      };
    }),
  );
}

/** A matched text and the long words in it, of which one is the secret. */
const partsOf = (matched: string) => [matched, ...matched.split(/['"`\s=:,]+/).filter(isLong)];

const isLong = ({ length }: string) => length >= 8;

/** A rule for private keys matches only the first line of the key. */
function secretOf(matched: string, diff = ''): string {
  // The text of a diff starts with a sign.
  const line = matched.replace(/^(?:\+|-(?!-)|-(?=-{5}BEGIN))/, '').trim();
  const start = /^-----BEGIN [^-]+-----$/.test(line) ? diff.indexOf(line) : -1;
  if (start < 0) return line;
  const rest = diff.slice(start, start + MAX_KEY);
  const [key = rest] = rest.split('-----END', 1);
  return key.replace(/^[+-]/gm, '').replace(/\s+/g, ' ').trim();
}

const MAX_KEY = 8_192;
