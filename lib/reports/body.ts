import { sqlState } from '../../db/errors.ts';
import { TOO_BUSY } from '../../db/pool/semaphore.ts';
import { ApiError, type FieldError } from '../errors.ts';
import { permitOr } from '../fair-share/over-share.ts';
import type { InOrgCall } from '../http/call.ts';
import { announcedLength, bodyTooLarge } from '../http/request/body-stream.ts';
import { holdBody, tooManyOf } from '../http/request/held-body.ts';
import { FORM_BYTES, isForm, type SentReport } from './unwrap.ts';

const invalidBody = (message: string) => new ApiError('validation_error/invalid_body', { message });

const NOUNS = { one: 'report', many: 'reports' };

/** Tells clients the limit of the report, without parsing a message. */
export const maxBytesDetail = (maxBytes: number): FieldError => ({
  field: 'max_bytes',
  message: String(maxBytes),
});

/** A body that is held in memory until it is freed. */
export interface ReceivedReport extends SentReport {
  free(): void;
}

/**
 * Receives the body of a request with a report, once there is memory for it.
 * @throws ApiError `invalid_body`; OverShareError when the organization's share of the memory is in use for too long, or when
 * the body arrives slowly while others wait for memory
 */
export async function receiveReport({ c, org, services }: InOrgCall): Promise<ReceivedReport> {
  const { arrivalMs, bodies, maxBytes: maxReport } = services.reports;
  const contentType = c.req.header('content-type') ?? '';
  const encoding = encodingOf(c.req.header('content-encoding'));
  const maxBytes = maxReport + (isForm(contentType) ? FORM_BYTES : 0);
  const { bytes, free } = await holdBody(
    c,
    {
      ...{ maxBytes, arrivalMs, nouns: NOUNS },
      tooLarge: () => bodyTooLarge(maxBytes, [maxBytesDetail(maxReport)]),
    },
    () => ({ budget: bodies, key: org.id }),
  );
  if (bytes.byteLength === 0) {
    free();
    throw invalidBody('The body must be a report.');
  }
  const report = {
    ...{ body: bytes, contentType, encoding },
    free() {
      report.body = new Uint8Array();
      free();
    },
  };
  return report;
}

/** A small report takes little memory while it waits, so it may wait until others have imported large ones. */
const SMALL_BYTES = 1024 * 1024;
const SMALL_WAIT_MS = 35_000;

/** Waits until the organization may have one more report read. @throws OverShareError */
export async function enterReader({ c, org, services }: InOrgCall): Promise<() => void> {
  const request = { key: org.id, signal: c.req.raw.signal };
  const isSmall = (announcedLength(c) ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES;
  const permit = services.reportPermits.acquire(request).catch((error) => {
    if (isSmall && sqlState(error) === TOO_BUSY)
      return services.reportPermits.acquire({ ...request, timeoutMs: SMALL_WAIT_MS });
    throw error;
  });
  return (await permitOr(permit, tooManyOf(NOUNS))).release;
}

const ENCODINGS: Record<string, string> = { '': '', identity: '', gzip: 'gzip', 'x-gzip': 'gzip' };

function encodingOf(header = ''): string {
  const encoding = ENCODINGS[header.trim().toLowerCase()];
  if (encoding === undefined) throw invalidBody('The content encoding must be gzip, or none.');
  return encoding;
}
