import { type Finding, SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import type { Entry } from '../journal/lines.ts';

/** The findings of a scan by severity, most severe first. */
export type BySeverity = number[];

const MAX_LISTED = 20;
const MAX_REFUSALS = 5;

const DISMISSED = new Set(['false_positive', 'wontfix']);

export type ListedFinding = Pick<Finding, 'severity' | 'title' | 'file' | 'line'> & { n: number };

/** The findings of a scan as its summary shows them. Its size does not depend on their number. */
export interface Tally {
  total: BySeverity;
  fresh: BySeverity;
  seenAgain: BySeverity;
  /** Among those seen again. */
  regressed: BySeverity;
  refused: BySeverity;
  pending: BySeverity;
  /** Findings that users have not dismissed. */
  open: BySeverity;
  /** Findings that are new or back after they were fixed, and that users have not dismissed. */
  openNew: BySeverity;
  /** The most severe ones. */
  listed: { fresh: ListedFinding[]; regressed: ListedFinding[] };
  /** The first findings that the service refused. */
  refusals: { title: string; reason: string }[];
}

export const sum = (counts: BySeverity): number => counts.reduce((total, count) => total + count, 0);

/** The number of findings of at least a severity; 0 if it is undefined. */
export const countAtLeast = (severity: Severity | undefined, counts: BySeverity): number =>
  severity === undefined ? 0 : sum(counts.slice(0, SEVERITIES.indexOf(severity) + 1));

const none = (): BySeverity => SEVERITIES.map(() => 0);

export function createTally() {
  const tally: Tally = {
    total: none(),
    fresh: none(),
    seenAgain: none(),
    regressed: none(),
    refused: none(),
    pending: none(),
    open: none(),
    openNew: none(),
    listed: { fresh: [], regressed: [] },
    refusals: [],
  };
  const add = (counts: BySeverity, { severity }: Finding, count = 1) => {
    const level = SEVERITIES.indexOf(severity);
    if (level >= 0) counts[level] = (counts[level] ?? 0) + count;
  };
  return {
    tally,
    /** Counts findings that are pending. */
    queue(entries: readonly Entry[]): void {
      for (const { finding } of entries) {
        add(tally.total, finding);
        add(tally.pending, finding);
        add(tally.open, finding);
      }
    },
    /** Counts a finding that was delivered or refused. */
    settle({ n, finding, receipt, refused }: Entry): void {
      add(tally.pending, finding, -1);
      if (receipt && DISMISSED.has(receipt.status)) add(tally.open, finding, -1);
      if (refused !== undefined) {
        add(tally.refused, finding);
        if (tally.refusals.length < MAX_REFUSALS)
          tally.refusals.push({ title: finding.title, reason: refused });
      }
      if (!receipt) return;
      add(receipt.deduplicated ? tally.seenAgain : tally.fresh, finding);
      if (receipt.regressed) add(tally.regressed, finding);
      const isNew = !receipt.deduplicated || receipt.regressed === true;
      if (!isNew) return;
      if (!DISMISSED.has(receipt.status)) add(tally.openNew, finding);
      list(receipt.regressed ? tally.listed.regressed : tally.listed.fresh, n, finding);
    },
  };
}

/** Adds a finding to the most severe ones. */
function list(listed: ListedFinding[], n: number, { severity, title, file, line }: Finding): void {
  const last = listed[MAX_LISTED - 1];
  if (last && compare(last, { n, severity }) < 0) return;
  listed.push({
    n,
    severity,
    title,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
  });
  listed.sort(compare);
  listed.splice(MAX_LISTED);
}

type Ranked = Pick<ListedFinding, 'n' | 'severity'>;

const compare = (a: Ranked, b: Ranked) =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || a.n - b.n;
