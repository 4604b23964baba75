import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import type { Gzip } from '../services.ts';
import type { AnyAnswer } from './answer.ts';
import type { AppEnv } from './call.ts';
import type { SuccessSpecs } from './endpoint-spec.ts';

/** Smaller bodies fit in two packets anyway. */
const MIN_BYTES = 2048;
/** Compressing takes about 4 ms, during which no other request is served. */
const MAX_BYTES = 256 * 1024;

/** Whether an endpoint answers with a list. No other response is compressed: see docs/security.md. */
export const isList = (responses: SuccessSpecs): boolean => responses[200]?.paged ?? false;

/**
 * Compresses a list for clients that accept gzip (RFC 9110, 12.5.3). Streamed lists stay as they are, so that
 * their rows arrive as soon as they are read.
 * @param gzip unset where the runtime compresses responses itself
 */
export function compressList(c: Context<AppEnv>, answer: AnyAnswer, gzip: Gzip | undefined): AnyAnswer {
  if (!gzip || !('body' in answer)) return answer;
  const { status, body, headers } = answer;
  if (status !== 200 || !(body instanceof Uint8Array)) return answer;
  if (body.byteLength < MIN_BYTES || body.byteLength > MAX_BYTES) return answer;
  const vary = { ...headers, vary: 'Accept-Encoding' };
  const encoding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['gzip', 'identity'],
    default: 'identity',
  });
  if (encoding !== 'gzip') return { status, body, headers: vary };
  return { status, body: gzip(body), headers: { ...vary, 'content-encoding': 'gzip' } };
}
