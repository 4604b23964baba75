import { createClient } from '../app/api.ts';
import { xhrFetch } from '../app/xhr-fetch.ts';
import { compress } from './compress.ts';
import type { ImportedReport, Progress, UploadOptions } from './upload.ts';

interface Events {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/** The file was changed, moved or deleted after the user chose it, or it is a folder. */
export class UnreadableFile extends Error {
  constructor() {
    super('The file cannot be read.');
    this.name = 'UnreadableFile';
  }
}

interface ReportToSend {
  org: string;
  projectId: string;
  file: File;
  options: UploadOptions;
}

/** Sends a report. @throws ServiceError, UnreadableFile, or TypeError if the service cannot be reached */
export async function sendReport(
  { org, projectId, file, options }: ReportToSend,
  { signal, onProgress }: Events,
): Promise<ImportedReport> {
  onProgress({ kind: 'compressing' });
  const packed = await compress(file, signal).catch(async (error) => {
    throw signal.aborted ? error : new UnreadableFile();
  });
  const body: Blob = packed ?? file;
  onProgress({ kind: 'sending', sent: 0, total: body.size });
  const client = createClient({
    baseUrl: location.origin,
    orgSlug: org,
    fetch: xhrFetch(body, {
      onSent: (sent) => onProgress({ kind: 'sending', sent, total: body.size }),
      onAllSent: () => onProgress({ kind: 'importing' }),
    }),
  });
  const { format, name, path, ref } = options;
  try {
    const { result } = await client.post('/projects/{id}/reports', {
      params: {
        path: { id: projectId },
        query: {
          ...(format && { format }),
          ...(name && { name }),
          ...(path && { target_path: path }),
          ...(ref && { target_ref: ref }),
        },
      },
      headers: { 'content-type': 'application/octet-stream', ...(packed && { 'content-encoding': 'gzip' }) },
      // The real body is that of xhrFetch.
      body: '',
      bodySerializer: (text) => text,
      signal,
    });
    return result;
  } catch (error) {
    if (error instanceof TypeError && !(await isReadable(file))) throw new UnreadableFile();
    throw error;
  }
}

const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
