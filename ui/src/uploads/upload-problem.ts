import { isSignedOut, ServiceError } from '../app/api.ts';
import { type ProblemText, problemOf } from '../components/errors/problem.ts';
import { limitIn, tooLarge } from './limit.ts';
import { UnreadableFile } from './send-report.ts';

/** Why an upload failed. */
export interface UploadProblem extends Pick<ProblemText, 'title' | 'advice' | 'action'> {
  /** Where the service stopped reading, such as `line 7`. */
  position?: string;
  /** The formats that the service tried, separated by commas. */
  formats?: string;
  requestId?: string;
  /** Whether the same request fails again. */
  isFinal?: boolean;
}

const RESEND = 'Upload the file again. Known findings are counted again and not duplicated.';

const BY_STATUS: Record<number, (error: ServiceError) => UploadProblem> = {
  404: () => ({
    title: 'The project was not found',
    advice: 'It was deleted, or you no longer have access to it. Reload the page.',
  }),
  408: () => ({
    title: 'The upload took too long',
    advice: 'Your connection is too slow for this file. Compress it with gzip, or send it with svc-agent.',
  }),
  409: ({ message }) => ({
    title: 'The import was stopped',
    advice: `${sentence(message)} Findings that were imported before are kept. Upload the file again to import the others.`,
  }),
  413: () => ({
    title: 'The file is too large',
    advice:
      'A proxy in front of the service refused it. Compress the file with gzip, or ask the administrator of the service.',
  }),
  429: ({ message }) => ({
    title: 'The service is busy',
    advice: `${sentence(message)} Try again in a few minutes.`,
  }),
};

/**
 * The text of an error of an upload.
 * @param file the name of the file
 * @param wasSent whether the service had the whole file
 */
export function uploadProblem(error: unknown, file: string, wasSent: boolean): UploadProblem {
  if (error instanceof UnreadableFile) {
    return {
      title: 'The file cannot be read',
      advice:
        'It was changed, moved or deleted after you added it, or it is a folder. Remove it here and add it again.',
      isFinal: true,
    };
  }
  if (!(error instanceof ServiceError)) {
    const { title, advice } = problemOf(error);
    if (!wasSent) return { title, advice: `${advice} The file is kept.` };
    return {
      title: 'The connection was lost during the import',
      advice: `The report may have been imported. ${RESEND}`,
    };
  }
  const { status, code, requestId } = error;
  const known = status === 400 ? refusalOf(error, file) : isSignedOut(error) ? undefined : BY_STATUS[status];
  if (typeof known === 'object') return known;
  if (known) return known(error);
  if (status < 500) return { ...problemOf(error) };
  const { title } = problemOf(error);
  return {
    title: code === '' ? 'A server or proxy failed' : title,
    advice: `A part of the report may have been imported. ${RESEND}`,
    ...(requestId && { requestId }),
  };
}

/** The service refused the report. */
function refusalOf(error: ServiceError, file: string): UploadProblem {
  const { code, message, details } = error;
  if (code !== 'invalid_body') return { ...problemOf(error) };
  const limit = limitIn(error);
  if (limit !== undefined) return tooLarge(limit);
  const formats = details.find(({ field }) => field === 'format')?.message.replace(/^tried /, '');
  const position = details.find(({ field }) => field !== 'format' && field !== 'body')?.field;
  const isDetected = formats !== undefined && !formats.includes(',');
  return {
    title: 'The report cannot be imported',
    advice: sentence(message) + (isDetected ? '' : hintOf(file)),
    ...(position !== undefined && !message.includes(position) && { position }),
    ...(formats !== undefined && { formats }),
  };
}

const hintOf = (file: string): string =>
  /\.zip$/i.test(file)
    ? ' Unpack the ZIP archive and upload the reports in it.'
    : ' If you know the format, choose it under “More options” and try again.';

/** A message of the service as a sentence. */
const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
