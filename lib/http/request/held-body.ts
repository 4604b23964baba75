import type { Context } from 'hono';
import type { ByteBudget, Sender } from '../../fair-share/byte-budget.ts';
import { OverShareError, permitOr } from '../../fair-share/over-share.ts';
import { ApiError } from '../errors.ts';
import { announcedLength, bodyTooLarge, FIRST_BYTES, readBody } from './body-stream.ts';

/** A body in memory, whose bytes count in a budget until it is freed. */
export interface HeldBody {
  bytes: Uint8Array<ArrayBuffer>;
  free(): void;
}

export const NO_BODY: HeldBody = { bytes: new Uint8Array(), free() {} };

/** How to hold a body. */
export interface HoldOptions {
  /** Unset: the runtime limits memory itself. */
  budget: ByteBudget | undefined;
  /** Who sends the body: its share of the budget. */
  key: string;
  maxBytes: number;
  /** Whether a body of at most `FIRST_BYTES` does not count. */
  smallIsFree?: boolean;
  tooLarge?: () => ApiError;
  what: Sent;
}

/** What is sent, in messages of errors. */
export interface Sent {
  one: string;
  many: string;
}

export const tooManyOf = ({ many }: Sent) => `Too many ${many} are sent at a time. Send this one again.`;

/**
 * Receives the body of a request, once there is memory for it.
 * @throws ApiError `invalid_body`; OverShareError when the sender's share of the memory is in use for too long, or when the body arrives
 * slowly while others wait for memory
 */
export async function holdBody(
  c: Context,
  { budget, key, maxBytes, smallIsFree = false, tooLarge = () => bodyTooLarge(maxBytes), what }: HoldOptions,
): Promise<HeldBody> {
  const length = announcedLength(c);
  if (length !== undefined && !(length <= maxBytes)) throw tooLarge();

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let received: number | undefined = 0;
  let isBrokenOff = false;
  let { free } = NO_BODY;
  const sender: Sender = {
    received: () => received,
    breakOff() {
      isBrokenOff = true;
      // Ends the read in progress.
      reader?.cancel().catch(() => {});
    },
  };
  const reserve = async () => {
    const reserved = budget?.reserve(key, length ?? maxBytes, { signal: c.req.raw.signal, sender });
    if (reserved) free = await permitOr(reserved, tooManyOf(what));
  };
  const isSmall = smallIsFree && length !== undefined && length <= FIRST_BYTES;
  if (isSmall) {
    const buffer = await c.req.arrayBuffer().catch(endedEarly);
    return { ...NO_BODY, bytes: new Uint8Array(buffer) };
  }
  const mayBeSmall = smallIsFree && length === undefined;
  if (!mayBeSmall) await reserve();
  try {
    reader = c.req.raw.body?.getReader();
    const onProgress = (bytes: number) => {
      received = bytes;
    };
    const limits = { maxBytes, length, onProgress, tooLarge, ...(mayBeSmall && { onLarge: reserve }) };
    const bytes = reader ? await readBody(reader, limits).catch(endedEarly) : NO_BODY.bytes;
    if (isBrokenOff)
      throw new OverShareError(`The ${what.one} arrived too slowly while others waited. Send it again.`);
    received = undefined;
    return { bytes, free };
  } catch (error) {
    free();
    throw error;
  }
}

/** The client is gone, but the log should show its error instead of a 500. */
function endedEarly(error: unknown): never {
  throw error instanceof ApiError
    ? error
    : new ApiError('validation_error/invalid_body', { message: 'The body ended early.' });
}
