import { type Finding, SEVERITIES } from '../../lib/importers/finding.ts';
import { HashCounter } from '../../lib/importers/identity/hash-counter.ts';

/** The findings of reports. The findings of a large report are created when they are needed. */
export interface Findings {
  /** At most this many, because several reports may contain the same ones. */
  readonly count: number;
  /** All of them, unless they may not fit into memory. */
  readonly list?: readonly Finding[];
  /** @throws UsageError if the results of a large report cannot be read */
  batches(): AsyncIterable<readonly Finding[]>;
}

export const listOf = (list: readonly Finding[]): Findings & { list: readonly Finding[] } => ({
  count: list.length,
  list,
  async *batches() {
    yield list;
  },
});

/** Changes findings, and the error of a report that cannot be read to its end. */
export function mapFindings(
  findings: Findings,
  change: (finding: Finding) => Finding,
  changeError: (error: unknown) => unknown,
): Findings {
  if (findings.list) return listOf(findings.list.map(change));
  return {
    count: findings.count,
    async *batches() {
      try {
        for await (const batch of findings.batches()) yield batch.map(change);
      } catch (error) {
        throw changeError(error);
      }
    },
  };
}

/**
 * Combines findings of several reports. A finding that several reports contain is reported once.
 * @returns also how many findings were left out, if they fit into memory
 */
export function combineFindings(all: readonly Findings[]): { findings: Findings; repeated: number } {
  const [only] = all;
  if (only && all.length === 1) return { findings: only, repeated: 0 };
  const lists = all.flatMap(({ list }) => (list ? [list] : []));
  if (lists.length === all.length) return combineLists(lists);
  return { findings: combineLarge(all), repeated: 0 };
}

/**
 * The report with the highest severity rates a finding. A previous fingerprint that identifies a finding of another report, or
 * that two findings claim, is not used.
 */
function combineLists(lists: readonly (readonly Finding[])[]) {
  const findings = new Map<string, Finding>();
  const claims = new Map<string, Set<string>>();
  let repeated = 0;
  for (const finding of lists.flat()) {
    const { fingerprint, severity, previous_fingerprints = [] } = finding;
    const known = findings.get(fingerprint);
    if (known) repeated++;
    if (!known || SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(known.severity))
      findings.set(fingerprint, finding);
    for (const previous of previous_fingerprints)
      claims.set(previous, (claims.get(previous) ?? new Set()).add(fingerprint));
  }
  const isFree = (previous: string) => !findings.has(previous) && claims.get(previous)?.size === 1;
  const combined = [...findings.values()].map(({ previous_fingerprints = [], ...finding }) => {
    const free = previous_fingerprints.filter(isFree);
    return free.length > 0 ? { ...finding, previous_fingerprints: free } : finding;
  });
  return { findings: listOf(combined), repeated };
}

/**
 * The last report describes a finding. Previous fingerprints are not used, because another report may claim them: a finding is
 * then new rather than inheriting the decision about another problem.
 */
function combineLarge(all: readonly Findings[]): Findings {
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    async *batches() {
      const seen = new HashCounter();
      for (const findings of all.toReversed()) {
        for await (const batch of findings.batches()) {
          yield batch
            .filter(({ fingerprint }) => seen.add(fingerprint) === 0)
            .map(({ previous_fingerprints: _, ...finding }) => finding);
        }
      }
    },
  };
}
