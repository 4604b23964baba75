import { number, plural } from '../language.ts';

export const tooLarge = 'The file is too large';
export const limitIs = (size: string) =>
  `The service imports files of at most ${size}, unpacked. Split the report, or send it with svc-agent, which has no such limit.`;
export const proxyRefused =
  'A proxy in front of the service refused it. Compress the file with gzip, or ask the administrator of the service.';
export const moreFiles = (count: number) => plural(count, { one: '# more file', other: '# more files' });
export const tooManyFiles = 'Too many files at a time';
export const addFewer = (max: number) =>
  `Add at most ${number(max)} files at a time. Add the others again when these are uploaded.`;
export const isFolder = 'Folders cannot be uploaded';
export const openFolder = 'Open the folder and drop the report files in it.';
export const isEmpty = 'The file is empty';
export const checkScanner = 'Check that the scanner has finished and wrote its report to this file.';
export const isBeingUploaded = 'The file is already being uploaded';
export const notTwice = 'It is not uploaded twice.';

export const projectNotFound = 'The project was not found';
export const reloadPage = 'It was deleted, or you no longer have access to it. Reload the page.';
export const tookTooLong = 'The upload took too long';
export const connectionTooSlow =
  'Your connection is too slow for this file. Compress it with gzip, or send it with svc-agent.';
export const wasStopped = 'The import was stopped';
/** @param message a sentence of the service */
export const importRest = (message: string) =>
  `${message} Findings that were imported before are kept. Upload the file again to import the others.`;
export const busy = 'The service is busy';
/** @param message a sentence of the service */
export const tryInMinutes = (message: string) => `${message} Try again in a few minutes.`;
export const unreadable = 'The file cannot be read';
export const addAgain =
  'It was changed, moved or deleted after you added it, or it is a folder. Remove it here and add it again.';
/** @param advice a sentence */
export const fileIsKept = (advice: string) => `${advice} The file is kept.`;
export const connectionLost = 'The connection was lost during the import';
export const mayBeImported =
  'The report may have been imported. Upload the file again. Known findings are counted again and not duplicated.';
export const serverFailed = 'A server or proxy failed';
export const partMayBeImported =
  'A part of the report may have been imported. Upload the file again. Known findings are counted again and not duplicated.';
export const cannotImport = 'The report cannot be imported';
/** @param message a sentence of the service */
export const unpackZip = (message: string) =>
  `${message} Unpack the ZIP archive and upload the reports in it.`;
/** @param message a sentence of the service */
export const chooseFormat = (message: string) =>
  `${message} If you know the format, choose it under “More options” and try again.`;
