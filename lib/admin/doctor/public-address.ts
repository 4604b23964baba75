import { connect, type PeerCertificate } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../config/insecure.ts';
import { reasonOf } from '../error.ts';
import { type Check, checksOf } from './checks.ts';

export const TLS_DOCS = 'docs/deployment.md#tls-and-the-proxy';

const tls = checksOf('TLS', TLS_DOCS);
const TIMEOUT_MS = 5_000;
const RENEW_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether the public address answers with a valid certificate, and hides what only monitoring needs. */
export async function checkPublicAddress({ publicUrl, strict }: Config): Promise<Check[]> {
  const { protocol, hostname, port } = new URL(publicUrl);
  if (protocol === 'http:' && isLoopback(hostname)) {
    return [
      tls.skipped(`${publicUrl} is this machine: set SVC_PUBLIC_URL or SVC_BASE_DOMAIN for other machines`),
    ];
  }
  if (protocol === 'http:') {
    const message = `${publicUrl} is not encrypted: passwords and sessions can be read on the way`;
    return [strict ? tls.failed(message) : tls.warning(message)];
  }
  const certificate = await readCertificate(hostname, Number(port || 443)).catch((error) => reasonOf(error));
  if (typeof certificate === 'string') return [tls.failed(`${publicUrl}: ${certificate}`)];
  const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / DAY_MS);
  return [
    days < RENEW_DAYS
      ? tls.warning(`the certificate of ${hostname} expires in ${days} days`)
      : tls.ok(`the certificate of ${hostname} is valid for ${days} days`),
    await checkAnswer(publicUrl),
    await checkMetrics(publicUrl),
  ];
}

/** @throws Error when there is no connection, or the certificate is not valid for the host */
function readCertificate(host: string, port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: host, timeout: TIMEOUT_MS }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
  });
}

const ask = (url: string) => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });

async function checkAnswer(publicUrl: string): Promise<Check> {
  const answer = await ask(`${publicUrl}/api/v1/config/auth`).catch((error) => reasonOf(error));
  if (typeof answer === 'string') return tls.failed(`${publicUrl} does not answer: ${answer}`);
  if (!answer.ok) return tls.failed(`${publicUrl} answers ${answer.status}`);
  return answer.headers.has('strict-transport-security')
    ? tls.ok(`${publicUrl} answers, with HSTS`)
    : tls.warning(`${publicUrl} answers without HSTS: pass X-Forwarded-Proto, and set SVC_TRUST_PROXY`);
}

async function checkMetrics(publicUrl: string): Promise<Check> {
  const answer = await ask(`${publicUrl}/metrics`).catch(() => undefined);
  return answer?.ok && answer.headers.get('content-type')?.startsWith('text/plain')
    ? tls.warning(`${publicUrl}/metrics answers everyone: block it in the proxy`)
    : tls.ok('/metrics is not reachable at the public address');
}
