import type { ReactNode } from 'react';
import { number, plural } from './language.ts';

/** After a sentence about the purpose. */
export const formatIsDetected = (others: number) =>
  `The format is detected: SARIF, Trivy, Semgrep, ZAP or one of ${number(others)} others, also compressed with gzip.`;
export const chooseFiles = 'Choose files';
export const orDrop = 'or drop them anywhere in this section';
export const moreOptions = 'More options';
export const clearFinished = 'Clear finished';
export const uploads = 'Uploads';
export const resultsOfUploads = 'Results of uploads';
export const dropHere = (project: ReactNode) => <>Drop files here to upload them to {project}</>;
export const files = (count: number) => plural(count, { one: '# file', other: '# files' });
export const filesInProgress = (count: number, active: number) =>
  plural(count, {
    one: `# file, ${number(active)} in progress`,
    other: `# files, ${number(active)} in progress`,
  });

export const settingsOfNext = 'These settings apply to files that you add afterwards.';
export const format = 'Format';
export const detectFormat = 'Detect automatically';
export const noFormat = 'No matching format';
export const scanName = 'Scan name';
export const defaultScanName = 'Default: the name of the file';
export const scannedPath = 'Scanned path';
export const exampleOfPath = 'services/web';
export const revision = 'Branch, tag or commit';
export const exampleOfRevision = 'main';

export const queued = 'Queued';
export const compressing = 'Compressing';
export const importing = 'Importing';
export const sent = (sent: string, total: string) => `${sent} of ${total} sent`;
export const sentCompressed = (sent: string, total: string) => `${sent} of ${total} sent, compressed`;
export const uploadOf = (file: string) => `Upload of ${file}`;
export const cancel = 'Cancel';
export const cancelUpload = (file: string) => `Cancel the upload of ${file}`;
export const removeFromList = 'Remove from this list';
export const removeFile = (file: string) => `Remove ${file} from this list`;
export const uploadAgain = 'Upload again';
export const tryAgain = 'Try again';
export const canceled = 'Canceled. Nothing was imported.';
export const canceledLate =
  'Canceled during the import. The report may have been imported: see the scans of the project.';
export const busy = (seconds: number) =>
  plural(seconds, {
    one: 'The service is busy with other reports. Trying again in # second.',
    other: 'The service is busy with other reports. Trying again in # seconds.',
  });
export const position = (place: ReactNode) => <>Position: {place}</>;
export const formatsTried = (count: number) =>
  plural(count, { one: '# format was tried', other: '# formats were tried' });
export const request = (id: ReactNode) => <>Request {id}</>;
export const copyRequestId = 'Copy the request ID';

export const readAsFailed = (format: string) => `Read as ${format}: the scan failed`;
export const importedAs = (format: string) => `Imported as ${format}`;
export const importedWithWarnings = (format: string) => `Imported with warnings as ${format}`;
export const noFindings = 'No findings in this report';
export const openScan = 'Open scan';
/** The findings of an import, by what became of them. */
export const counts = {
  new: (count: number) => `${number(count)} new`,
  again: (count: number) => `${number(count)} seen again`,
  gone: (count: number) => `${number(count)} gone`,
  regressed: (count: number) => `${number(count)} regressed`,
};

/* For screen readers: how an upload ended. */
export const imported = (file: string, summary: string) => `${file} was imported. ${summary}`;
export const failed = (file: string, problem: string, advice: string) =>
  `${file} failed. ${problem}. ${advice}`;
export const wasCanceled = (file: string) => `The upload of ${file} was canceled.`;
export const notUploaded = (file: string, problem: string, advice: string) =>
  `${file} was not uploaded. ${problem}. ${advice}`;
export const sentLater = (file: string) => `The service is busy. ${file} is sent again later.`;
export const scanFailed = (message: string) => `The scan failed. ${message}`;
export const reportIsEmpty = 'The report has no findings.';
export const reportIsEmptyWithWarnings = 'The report has no findings. The scan has warnings.';
export const findings = (counts: readonly string[]) => `Findings: ${counts.join(', ')}.`;
export const findingsWithWarnings = (counts: readonly string[]) =>
  `Findings: ${counts.join(', ')}. The scan has warnings.`;

export const filesBeingUploaded = 'Files are being uploaded';
export const leavingCancels = 'If you leave this page, uploads that are not complete are canceled.';
export const leave = 'Leave and cancel';
export const stay = 'Stay on this page';
