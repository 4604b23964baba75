import { createClient } from '../app/api.ts';
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

/** The progress of sending a request body. */
interface SendEvents {
  /** Called with the number of bytes that were sent so far. */
  onSent(bytes: number): void;
  /** Called when the body was sent completely. */
  onAllSent(): void;
}

/**
 * A `fetch` that reports how much of the body was sent, which the browser's own `fetch` cannot do.
 * @param body sent instead of the body of the request
 */
const xhrFetch =
  (body: Blob, { onSent, onAllSent }: SendEvents) =>
  (request: Request): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      const xhr = new XMLHttpRequest();
      xhr.open(request.method, request.url);
      for (const [name, value] of request.headers) xhr.setRequestHeader(name, value);
      const abort = () => xhr.abort();
      signal.addEventListener('abort', abort);
      xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
      xhr.upload.onload = onAllSent;
      xhr.onload = () => resolve(responseOf(xhr));
      xhr.onerror = () => reject(new TypeError('Failed to fetch'));
      xhr.onabort = () => reject(new DOMException('The request was aborted.', 'AbortError'));
      xhr.onloadend = () => signal.removeEventListener('abort', abort);
      if (signal.aborted) reject(signal.reason);
      else xhr.send(body);
    });

function responseOf(xhr: XMLHttpRequest): Response {
  const { status, statusText, responseText } = xhr;
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', ...value] = line.split(': ');
    if (name !== '') headers.append(name, value.join(': '));
  }
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? responseText : null, { status, statusText, headers });
}
