import { sqlState } from '../../db/errors.ts';
import { TOO_BUSY } from '../../db/pool/semaphore.ts';
import type { Sender } from '../fair-share/byte-budget.ts';
import { OverShareError, permitOr } from '../fair-share/over-share.ts';
import type { InOrgCall } from '../http/call.ts';
import { ApiError, type FieldError } from '../http/errors.ts';
import { bodyTooLarge, readBody } from '../http/request/body-stream.ts';
import { announcedLength } from '../http/request/input.ts';
import { FORM_BYTES, isForm } from './form.ts';
import type { SentReport } from './unwrap.ts';

const invalidBody = (message: string) => new ApiError('validation_error/invalid_body', { message });

const TOO_MANY = 'Too many reports are sent at a time. Send this one again.';
const TOO_SLOW = 'The report arrived too slowly while others waited. Send it again.';

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
  const { bodies, maxBytes: maxReport } = services.reports;
  const contentType = c.req.header('content-type') ?? '';
  const encoding = encodingOf(c.req.header('content-encoding'));
  const maxBytes = maxReport + (isForm(contentType) ? FORM_BYTES : 0);
  const length = announcedLength(c);
  const tooLarge = () => bodyTooLarge(maxBytes, [maxBytesDetail(maxReport)]);
  if (length !== undefined && !(length <= maxBytes)) throw tooLarge();

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let received: number | undefined = 0;
  let isBrokenOff = false;
  const sender: Sender = {
    received: () => received,
    breakOff() {
      isBrokenOff = true;
      // Ends the read in progress.
      reader?.cancel().catch(() => {});
    },
  };
  const reserved = bodies?.reserve(org.id, length ?? maxBytes, { signal: c.req.raw.signal, sender });
  const free = (await (reserved && permitOr(reserved, TOO_MANY))) ?? (() => {});
  try {
    reader = c.req.raw.body?.getReader();
    const onProgress = (bytes: number) => {
      received = bytes;
    };
    const body = reader
      ? await readBody(reader, { maxBytes, length, onProgress, tooLarge })
      : new Uint8Array();
    if (isBrokenOff) throw new OverShareError(TOO_SLOW);
    received = undefined;
    if (body.byteLength === 0) throw invalidBody('The body must be a report.');
    const report = {
      ...{ body, contentType, encoding },
      free() {
        report.body = new Uint8Array();
        free();
      },
    };
    return report;
  } catch (error) {
    free();
    throw error instanceof ApiError ? error : invalidBody('The body ended early.');
  }
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
  return (await permitOr(permit, TOO_MANY)).release;
}

const ENCODINGS: Record<string, string> = { '': '', identity: '', gzip: 'gzip', 'x-gzip': 'gzip' };

function encodingOf(header = ''): string {
  const encoding = ENCODINGS[header.trim().toLowerCase()];
  if (encoding === undefined) throw invalidBody('The content encoding must be gzip, or none.');
  return encoding;
}
