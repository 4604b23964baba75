import { fitToLimits } from './clean.ts';
import type { Finding, Rating } from './finding.ts';
import type { Fingerprints } from './identity/fingerprints.ts';
import type { Shown } from './importer.ts';
import { severityFor } from './support.ts';
import { maskObvious } from './text/credentials.ts';

/** The finding of a result. @param source the tool, unless the result names another one */
export function findingOf(finding: Omit<Shown, 'raw'>, fingerprints: Fingerprints, source: string): Finding {
  return fitToLimits({
    ...{ source, ...finding, ...fingerprints },
    severity: severityFor(finding.severity),
    title: maskObvious(finding.title),
    description: maskObvious(finding.description),
  });
}

/** Counts the results whose severity is not known, by the word of the tool. */
export class UnknownSeverities {
  #counts = new Map<string, number>();

  add(rating: Rating): void {
    if (typeof rating === 'string') return;
    const { word } = rating;
    const known = this.#counts.get(word);
    if (known !== undefined || this.#counts.size < MAX_WORDS) this.#counts.set(word, (known ?? 0) + 1);
  }

  warnings(): string[] {
    return [...this.#counts].map(
      ([word, count]) =>
        `Unknown severity “${maskObvious(word)}” of ${count} ${count === 1 ? 'result' : 'results'}: rated as medium, or higher by the CVSS score`,
    );
  }
}

const MAX_WORDS = 20;
