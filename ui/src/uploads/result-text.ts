import { counted, number } from '../components/numbers.ts';
import type { ImportedReport, Upload } from './upload.ts';
import { uploadProblem } from './upload-problem.ts';

export type Count = keyof ImportedReport['changes'];

const WORDS: Record<Count, string> = {
  new: 'new',
  again: 'seen again',
  gone: 'gone',
  regressed: 'regressed',
};

/** The counts of an import that are worth showing, in their order. */
export function countsOf({ changes }: ImportedReport): { count: Count; text: string }[] {
  const names = ['new', 'again', 'gone', 'regressed'] as const;
  return names
    .filter((name) => name === 'new' || changes[name] > 0)
    .map((name) => ({ count: name, text: `${number(changes[name])} ${WORDS[name]}` }));
}

/** Whether an import has neither stored nor missed findings. */
export const isWithoutFindings = ({ changes: { new: found, again, gone } }: ImportedReport): boolean =>
  found + again + gone === 0;

/** How an upload ended, for screen readers; undefined if it has not ended. */
export function outcomeOf({ label, state, file }: Upload): string | undefined {
  switch (state.kind) {
    case 'imported':
      return `${label} was imported. ${summaryOf(state.report)}`;
    case 'failed': {
      const { title, advice } = uploadProblem(state.error, file?.name ?? '', state.wasSent);
      return `${label} failed. ${title}. ${advice}`;
    }
    case 'canceled':
      return `The upload of ${label} was canceled.`;
    case 'refused':
      return `${label} was not uploaded. ${state.title}. ${state.advice}`;
    case 'waiting':
      return `The service is busy. ${label} is sent again later.`;
    default:
      return undefined;
  }
}

function summaryOf(report: ImportedReport): string {
  const { scan } = report;
  if (scan.status === 'failed') return `The scan failed. ${scan.error_message ?? ''}`;
  const findings = isWithoutFindings(report)
    ? 'The report has no findings.'
    : `Findings: ${countsOf(report)
        .map(({ text }) => text)
        .join(', ')}.`;
  return scan.error_message ? `${findings} The scan has warnings.` : findings;
}

/** Such as "3 uploads, 2 in progress". */
export function progressOf(all: number, active: number): string {
  const total = counted(all, 'file');
  return active === 0 ? total : `${total}, ${number(active)} in progress`;
}
