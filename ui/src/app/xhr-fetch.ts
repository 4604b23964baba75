/** The progress of sending a request body. */
export interface SendEvents {
  /** Called with the number of bytes that were sent so far. */
  onSent(bytes: number): void;
  /** Called when the body was sent completely. */
  onAllSent(): void;
}

/**
 * A `fetch` that reports how much of the body was sent, which the browser's own `fetch` cannot do.
 * @param body sent instead of the body of the request
 */
export const xhrFetch =
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
