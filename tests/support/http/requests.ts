import { connect } from 'node:net';
import type { TestOrg } from '../api/client.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  /** Below `/api/v1`. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Who a user is, as headers. */
export const asMember = (org: TestOrg) => ({
  cookie: `svc_token=${org.owner.cookie}`,
  'x-org-slug': org.slug,
});

/** Who an agent is, as headers. */
export const asAgent = (org: TestOrg) => ({ authorization: `Bearer ${org.token}`, 'x-org-slug': org.slug });

/** Head and body of a request in HTTP/1.1, kept alive. */
export function wire(origin: string, { method, path, headers, body }: WireRequest): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} /api/v1${path} HTTP/1.1`,
    `host: ${new URL(origin).host}`,
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/** Milliseconds of one download. */
export interface Download {
  status: number;
  firstByte: number;
  total: number;
  bytes: number;
}

/**
 * Reads a response to its end as fast as it comes, and throws it away; the connection is closed after it.
 * @param signal breaks it off
 */
export function download(origin: string, request: WireRequest, signal?: AbortSignal): Promise<Download> {
  const { hostname, port } = new URL(origin);
  const text = wire(origin, { ...request, headers: { ...request.headers, connection: 'close' } });
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let firstByte = 0;
    let bytes = 0;
    let status = 0;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on('connect', () => socket.write(text));
    socket.on('data', (chunk: Buffer) => {
      if (bytes === 0) {
        firstByte = performance.now() - began;
        status = Number(chunk.subarray(9, 12).toString('latin1'));
      }
      bytes += chunk.length;
    });
    socket.on('error', reject);
    const leave = () => void socket.destroy();
    signal?.addEventListener('abort', leave);
    socket.on('close', () => signal?.removeEventListener('abort', leave));
    if (signal?.aborted) leave();
    socket.on('close', () => resolve({ status, firstByte, total: performance.now() - began, bytes }));
  });
}
