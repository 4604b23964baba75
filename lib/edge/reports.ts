import { type ReportReader, UnreadableReport } from '../reports/reader.ts';

/** An isolate has 128 MiB. A report takes about ten times its size while it is read. */
export const EDGE_MAX_REPORT = 4 * 1024 * 1024;

/** Meanwhile the request holds a permit that others need. */
const ARRIVAL_MS = 30_000;

/** Reads reports in the request, because workerd has neither threads nor processes. */
export function createEdgeReportReader(maxReport: number): ReportReader {
  return {
    maxBytes: Math.min(maxReport, EDGE_MAX_REPORT),
    arrivalMs: ARRIVAL_MS,
    async open(job) {
      // Not before the first report: most isolates never read one.
      const { readReport } = await import('../reports/read.ts');
      const outcome = await readReport(job);
      if (outcome.kind === 'refused') throw new UnreadableReport(outcome.refusal);
      const { head, chunks } = outcome;
      return { ...head, next: async () => (await chunks.next()).value ?? [], close() {} };
    },
  };
}
