import { collapseWhitespace } from '../support.ts';
import { maskObvious } from '../text/credentials.ts';
import { maskSecrets, secretCandidates } from '../text/secrets.ts';
import { sha256 } from './fingerprints.ts';

/**
 * The parts of a fingerprint that come from source code. All literals are masked, so that the fingerprint reveals no
 * secret and does not depend on which literals the report marks as secrets.
 */
export function sourceIdentity(source: string, secrets: readonly string[] = []): string[] {
  // The work for the literals of a generated line would be quadratic.
  const shown =
    source.length > MAX_SOURCE
      ? `${source.slice(0, MAX_SOURCE / 2)}\n${source.slice(-MAX_SOURCE / 2)}`
      : source;
  return [
    collapseWhitespace(maskSecrets(shown, [...secrets, ...secretCandidates(shown)])),
    shortDigest(collapseWhitespace(source)),
  ];
}

const MAX_SOURCE = 20_000;

/** The same for code that contains no secrets, so that its literals need no masks, except what is certainly a credential. */
export const plainIdentity = (source: string): string[] => [
  collapseWhitespace(maskObvious(source)),
  shortDigest(collapseWhitespace(source)),
];

/** 16 bits distinguish literals. More bits would allow guessing a secret by trial. */
export const shortDigest = (text: string): string => sha256(text).slice(0, 4);
