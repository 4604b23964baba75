import type { Finding } from '../../../../lib/importers/finding.ts';

/** The outcome of the findings of a report. */
export interface Outcome {
  /** The problems whose decision is kept. */
  again: string[];
  new: string[];
  gone: string[];
  /** Findings that took the decision about another problem: `from → to`. */
  transferred: string[];
}

/**
 * The service's rule for fingerprints, with decisions: a push updates the finding with its fingerprint. If there is none, the
 * first finding with one of its previous fingerprints, in their order, takes the new fingerprint.
 */
export class Store {
  /** The problem that each stored finding was decided about, by fingerprint. */
  readonly #decided = new Map<string, string>();

  /** Pushes the findings of a report. The decision about a new finding is about its problem. */
  push(findings: readonly Finding[], problemOf: (finding: Finding) => string): Outcome {
    const before = new Set(this.#decided.values());
    const outcome: Outcome = { again: [], new: [], gone: [], transferred: [] };
    for (const finding of findings) {
      const problem = problemOf(finding);
      const decided = this.#take(finding);
      if (decided === undefined) outcome.new.push(problem);
      else if (decided === problem) outcome.again.push(problem);
      else outcome.transferred.push(`${decided} → ${problem}`);
      this.#decided.set(finding.fingerprint, decided ?? problem);
    }
    const present = new Set(findings.map(problemOf));
    outcome.gone = [...before].filter((problem) => !present.has(problem));
    return outcome;
  }

  #take({ fingerprint, previous_fingerprints = [] }: Finding): string | undefined {
    const known = [fingerprint, ...previous_fingerprints].find((each) => this.#decided.has(each));
    if (known === undefined) return undefined;
    const decided = this.#decided.get(known);
    this.#decided.delete(known);
    return decided;
  }
}
