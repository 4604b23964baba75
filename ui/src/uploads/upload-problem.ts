import * as text from '#strings/uploads/problems.ts';
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

const BY_STATUS: Record<number, (error: ServiceError) => UploadProblem> = {
  404: () => ({
    title: text.projectNotFound,
    advice: text.reloadPage,
  }),
  408: () => ({
    title: text.tookTooLong,
    advice: text.connectionTooSlow,
  }),
  409: ({ message }) => ({
    title: text.wasStopped,
    advice: text.importRest(sentence(message)),
  }),
  413: () => ({
    title: text.tooLarge,
    advice: text.proxyRefused,
  }),
  429: ({ message }) => ({
    title: text.busy,
    advice: text.tryInMinutes(sentence(message)),
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
      title: text.unreadable,
      advice: text.addAgain,
      isFinal: true,
    };
  }
  if (!(error instanceof ServiceError)) {
    const { title, advice } = problemOf(error);
    if (!wasSent) return { title, advice: text.fileIsKept(advice) };
    return {
      title: text.connectionLost,
      advice: text.mayBeImported,
    };
  }
  const { status, code, requestId } = error;
  const known = status === 400 ? refusalOf(error, file) : isSignedOut(error) ? undefined : BY_STATUS[status];
  if (typeof known === 'object') return known;
  if (known) return known(error);
  if (status < 500) return { ...problemOf(error) };
  const { title } = problemOf(error);
  return {
    title: code === '' ? text.serverFailed : title,
    advice: text.partMayBeImported,
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
    title: text.cannotImport,
    advice: isDetected ? sentence(message) : withHint(sentence(message), file),
    ...(position !== undefined && !message.includes(position) && { position }),
    ...(formats !== undefined && { formats }),
  };
}

const withHint = (message: string, file: string): string =>
  (/\.zip$/i.test(file) ? text.unpackZip : text.chooseFormat)(message);

/** A message of the service as a sentence. */
const sentence = (message: string): string =>
  message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? '' : '.');
