import type { Schemas } from '../../../lib/client/index.ts';

export type ImportedReport = Schemas['ImportedReport'];

/** A file, or a folder if `file` is unset. */
export interface Dropped {
  name: string;
  file?: File;
}

/** The options of an upload. Empty texts are not sent. */
export interface UploadOptions {
  format: string;
  name: string;
  path: string;
  ref: string;
}

/** The progress of an upload. */
export type Progress =
  | { kind: 'compressing' }
  /** `total` is less than the size of the file if the file was compressed. */
  | { kind: 'sending'; sent: number; total: number }
  /** The server has the whole file. */
  | { kind: 'importing' };

/** A project that files are uploaded to. */
export interface Destination {
  projectId: string;
  options: UploadOptions;
}

/** The state of a file. */
export type UploadState =
  | { kind: 'queued' }
  | Progress
  /** The service is busy. `until` is the time of the next attempt. */
  | { kind: 'waiting'; until: number }
  | { kind: 'imported'; report: ImportedReport }
  /** `wasSent`: the service had the whole file and may have imported it. */
  | { kind: 'failed'; error: unknown; wasSent: boolean }
  | { kind: 'canceled'; wasSent: boolean }
  /** The file is not sent. */
  | { kind: 'refused'; title: string; advice: string };

export interface Upload {
  id: number;
  /** The name of the file. A number tells files of the same name apart. */
  label: string;
  /** Unset for what is not a file. */
  file: File | undefined;
  destination: Destination;
  state: UploadState;
}

/** Whether an upload has not ended. */
export const isActive = ({ state: { kind } }: Upload): boolean =>
  kind !== 'imported' && kind !== 'failed' && kind !== 'canceled' && kind !== 'refused';
