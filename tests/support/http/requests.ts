import { connect } from 'node:net';
import { finding, type TestOrg } from '../api/client.ts';

/** A request to send over a socket. */
export interface WireRequest {
  method: string;
  /** Below `/api/v1`. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A member's credentials as headers. */
export const asMember = (org: TestOrg) => ({
  cookie: `svc_token=${org.owner.cookie}`,
  'x-org-slug': org.slug,
});

/** An agent's credentials as headers. */
export const asAgent = (org: TestOrg) => ({ authorization: `Bearer ${org.token}`, 'x-org-slug': org.slug });

/** A member reads something. */
export const readOf = (org: TestOrg, path: string): WireRequest => ({
  method: 'GET',
  path,
  headers: asMember(org),
});

/** An agent pushes a finding. */
export const pushOf = (org: TestOrg, scanId = '', fields: Record<string, unknown> = {}): WireRequest => ({
  method: 'POST',
  path: '/agent/findings',
  headers: asAgent(org),
  body: finding(org, scanId, fields),
});

/** Head and body of a request in HTTP/1.1, kept alive. */
export function wire(url: string, { method, path, headers, body }: WireRequest): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` };
  const all = { host: new URL(url).host, ...headers, ...(body !== undefined && length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

/** One download; times in milliseconds. */
export interface Download {
  status: number;
  firstByte: number;
  total: number;
  bytes: number;
}

/** Reads a response to its end on a connection of its own, and discards it. */
export function download(url: string, request: WireRequest): Promise<Download> {
  const { hostname, port } = new URL(url);
  const text = wire(url, { ...request, headers: { ...request.headers, connection: 'close' } });
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const seen = { status: 0, firstByte: 0, bytes: 0 };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on('connect', () => socket.write(text));
    socket.on('data', (chunk: Buffer) => {
      if (seen.bytes === 0) {
        seen.firstByte = performance.now() - began;
        seen.status = Number(chunk.subarray(9, 12).toString('latin1'));
      }
      seen.bytes += chunk.length;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ ...seen, total: performance.now() - began }));
  });
}

/**
 * Sends bytes on a connection of its own, and reads until the server closes it or is silent for a while.
 * @param text one character is one byte
 * @param ends whether our side of the connection is closed after the text
 */
export function exchangeBytes(port: number, text: string, quietMs: number, ends = false): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () =>
      ends ? socket.end(text, 'latin1') : socket.write(text, 'latin1'),
    );
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    socket.setTimeout(quietMs, end);
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that has refused a body need not read the rest of it.
    socket.on('error', end).on('close', end);
  });
}
