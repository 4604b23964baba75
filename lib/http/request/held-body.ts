import type { Context } from 'hono';
import type { Release, Sharer } from '../../../db/pool/semaphore.ts';
import { ApiError } from '../../errors.ts';
import type { ByteBudget, Sender } from '../../fair-share/byte-budget.ts';
import { OverShareError, permitOr } from '../../fair-share/over-share.ts';
import { announcedLength, bodyTooLarge, FIRST_BYTES, readBody } from './body-stream.ts';

/** A body in memory, whose bytes count in a budget until it is freed. */
export interface HeldBody {
  bytes: Uint8Array<ArrayBuffer>;
  free(): void;
}

export const NO_BODY: HeldBody = { bytes: new Uint8Array(), free() {} };

/** The memory budget for bodies, and whose share of it a request uses. */
export interface Share {
  /** Unset: the runtime limits memory itself. */
  budget: ByteBudget | undefined;
  sharer: Sharer;
}

/** For JSON bodies that are not small. */
export interface BodyBudgets {
  /** By organizations. */
  ofOrgs: ByteBudget;
  /** By the networks of clients (of IPv6 the /48) that send a request outside organizations. */
  ofClients: ByteBudget;
}

export interface HoldOptions {
  maxBytes: number;
  /** Whether a body of at most `FIRST_BYTES` does not count. */
  smallIsFree?: boolean;
  /** A body that takes longer to arrive is broken off. */
  arrivalMs?: number | undefined;
  tooLarge?: () => ApiError;
  nouns: Nouns;
}

/** Names of the sent items, for error messages. */
export interface Nouns {
  one: string;
  many: string;
}

export const tooManyOf = ({ many }: Nouns) => `Too many ${many} are sent at a time. Send this one again.`;

/**
 * Receives the body of a request, once there is memory for it. One without an announced length counts as the largest until it has
 * arrived.
 * @param shareOf called if the body counts
 * @throws ApiError `invalid_body`; OverShareError when the sender's share of the memory is in use for too long, or when the body arrives
 * slowly while others wait for memory
 */
export async function holdBody(c: Context, options: HoldOptions, shareOf: () => Share): Promise<HeldBody> {
  const { maxBytes, smallIsFree = false, tooLarge = () => bodyTooLarge(maxBytes) } = options;
  const length = announcedLength(c);
  if (length !== undefined && !(length <= maxBytes)) throw tooLarge();
  if (length === 0) return NO_BODY;
  if (smallIsFree && length !== undefined && length <= FIRST_BYTES) {
    const buffer = await c.req.arrayBuffer().catch(endedEarly);
    return { bytes: new Uint8Array(buffer), free: NO_BODY.free };
  }

  const { arrivalMs, nouns } = options;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let received = 0;
  let isBrokenOff = false;
  const sender: Sender = {
    received: () => received,
    breakOff() {
      isBrokenOff = true;
      // Ends the read in progress.
      reader?.cancel().catch(() => {});
    },
  };
  let release: Release = () => {};
  const reserve = async () => {
    const { budget, sharer: from } = shareOf();
    const reserved = budget?.reserve(from, length ?? maxBytes, { signal: c.req.raw.signal, sender });
    if (reserved) release = await permitOr(reserved, tooManyOf(nouns));
  };
  const mayBeSmall = smallIsFree && length === undefined;
  if (!mayBeSmall) await reserve();
  const timer = arrivalMs === undefined ? undefined : setTimeout(sender.breakOff, arrivalMs);
  try {
    reader = c.req.raw.body?.getReader();
    const onProgress = (bytes: number) => {
      received = bytes;
    };
    const limits = { maxBytes, length, onProgress, tooLarge, ...(mayBeSmall && { onLarge: reserve }) };
    // A read that is broken off ends or fails, depending on the runtime.
    const ended = (error: unknown) => (isBrokenOff ? NO_BODY.bytes : endedEarly(error));
    const bytes = reader ? await readBody(reader, limits).catch(ended) : NO_BODY.bytes;
    if (isBrokenOff) throw new OverShareError(`The ${nouns.one} arrived too slowly. Send it again.`);
    release(bytes.byteLength);
    return { bytes, free: () => release() };
  } catch (error) {
    release();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The client is gone, but the log should show its error instead of a 500. */
function endedEarly(error: unknown): never {
  throw error instanceof ApiError
    ? error
    : new ApiError('validation_error/invalid_body', { message: 'The body ended early.' });
}
