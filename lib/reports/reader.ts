import type { ByteBudget } from '../fair-share/byte-budget.ts';
import type { Finding } from '../importers/finding.ts';
import type { Refusal, ReportHead, ReportJob } from './read.ts';

/** The report cannot be read. */
export class UnreadableReport extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'UnreadableReport';
    this.refusal = refusal;
  }
}

/** The process that read the report was killed, because it took too much time or memory. */
export class ExpensiveReport extends UnreadableReport {
  constructor(message: string) {
    super({ message, formats: [] });
    this.name = 'ExpensiveReport';
  }
}

/** Whether an import or a preview ended because its process was killed. */
export const isTooExpensive = (error: unknown): boolean =>
  error instanceof ExpensiveReport || (error instanceof Error && isTooExpensive(error.cause));

/** A report that was read. */
export interface OpenReport extends ReportHead {
  /** The next findings; empty after the last. @throws Error if the process that has them has ended */
  next(): Promise<Finding[]>;
  close(): void;
}

/** Reads reports: in processes of their own on Node, in the request on the edge. */
export interface ReportReader {
  /** The most bytes of a report, inflated. */
  maxBytes: number;
  /** How many reports may be open at a time. Unset: two. */
  atOnce?: number;
  /** For the bodies that are in memory. Unset on the edge: a request then holds its permit while it reads the body. */
  bodies?: ByteBudget;
  /** How long a body may take to arrive. Unset: as long as the server allows, while nobody waits for the memory. */
  arrivalMs?: number;
  /** @throws UnreadableReport */
  open(job: ReportJob): Promise<OpenReport>;
}
