import * as words from '#strings/uploads.tsx';
import type { ImportedReport, Upload } from './upload.ts';
import { uploadProblem } from './upload-problem.ts';

export type Count = keyof ImportedReport['changes'];

/** The counts of an import that are worth showing, in their order. */
export function countsOf({ changes }: ImportedReport): { count: Count; text: string }[] {
  const names = ['new', 'again', 'gone', 'regressed'] as const;
  return names
    .filter((name) => name === 'new' || changes[name] > 0)
    .map((name) => ({ count: name, text: words.counts[name](changes[name]) }));
}

/** Whether an import has neither stored nor missed findings. */
export const isWithoutFindings = ({ changes: { new: found, again, gone } }: ImportedReport): boolean =>
  found + again + gone === 0;

/** How an upload ended, for screen readers; undefined if it has not ended. */
export function outcomeOf({ label, state, file }: Upload): string | undefined {
  switch (state.kind) {
    case 'imported':
      return words.imported(label, summaryOf(state.report));
    case 'failed': {
      const { title, advice } = uploadProblem(state.error, file?.name ?? '', state.wasSent);
      return words.failed(label, title, advice);
    }
    case 'canceled':
      return words.wasCanceled(label);
    case 'refused':
      return words.notUploaded(label, state.title, state.advice);
    case 'waiting':
      return words.sentLater(label);
    default:
      return undefined;
  }
}

function summaryOf(report: ImportedReport): string {
  const { scan } = report;
  if (scan.status === 'failed') return words.scanFailed(scan.error_message ?? '');
  if (isWithoutFindings(report)) {
    return scan.error_message ? words.reportIsEmptyWithWarnings : words.reportIsEmpty;
  }
  const counts = countsOf(report).map(({ text }) => text);
  return (scan.error_message ? words.findingsWithWarnings : words.findings)(counts);
}

/** Such as "3 uploads, 2 in progress". */
export function progressOf(all: number, active: number): string {
  return active === 0 ? words.files(all) : words.filesInProgress(all, active);
}
