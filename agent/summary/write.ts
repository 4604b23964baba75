import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { formatFailure, formatSummary } from './markdown.ts';
import type { ScanResult } from './result.ts';

export interface SummaryOptions {
  /** The name of the scan. */
  name?: string | undefined;
  /** The page of the scan. */
  url?: string | undefined;
  /** Must not appear in the file. */
  secret: string | undefined;
  /** Called if the file cannot be written: the findings are delivered nevertheless. */
  onWarning(message: string): void;
}

export const appendSummary = (path: string, result: ScanResult, options: SummaryOptions): void =>
  append(path, formatSummary(result, options), options);

export const appendFailure = (path: string, error: Error, options: SummaryOptions): void =>
  append(path, formatFailure(error, options), options);

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

/** Appends to a regular file. A repository could contain a symbolic link to a file of the user. */
function append(path: string, text: string, { secret, onWarning }: SummaryOptions): void {
  let file: number | undefined;
  try {
    file = openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY, 0o644);
    if (!fstatSync(file).isFile()) throw new Error('not a regular file');
    writeSync(file, secret === undefined ? text : text.replaceAll(secret, '***'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ELOOP' ? 'it is a symbolic link' : message;
    onWarning(`The summary cannot be written to ${path} (${reason}).`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
