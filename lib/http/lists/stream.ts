import type { HttpBindings } from '@hono/node-server';
import { ApiError } from '../../errors.ts';
import type { ListReader } from '../../fair-share/list-permits.ts';
import type { PublicCall } from '../call.ts';

/** The client of a list or event stream that reads nothing for this time is disconnected, to free its database connection or its place. */
const STALL_MS = 30_000;

/**
 * How often the access of the client is checked while a body is sent: a removed or suspended member reads for a second at most. A stream
 * of events is mostly idle, and there may be many.
 */
const RECHECK_MS = { list: 500, export: 500, 'event stream': 1_000 };
/** A body ends if the access could not be checked for this time. */
const UNCHECKED_MS = 30_000;
const REFUSALS = new Set([401, 403, 404]);

/** The parts of a body after the first one. */
export interface BodyParts {
  next(): Promise<{ bytes: Uint8Array; isLast: boolean }>;
  /** Frees what the parts are read from, also before the last one. Can be repeated. */
  end(): Promise<unknown>;
}

export interface BodyStream {
  /** The client, as the permits of lists see it. */
  reader: ListReader;
  /** Creates the body. Call it once. */
  send(first: Uint8Array, parts: BodyParts): ReadableStream<Uint8Array>;
}

/**
 * Streams a body at the speed of the client. If a part cannot be read, the client of a list or event stream stops reading, or the client loses access,
 * the connection is aborted, so that the client does not take the body for complete.
 * @param what an export holds no database connection between two parts
 */
export function createBodyStream({ c, log, recheck }: PublicCall, what: keyof typeof RECHECK_MS): BodyStream {
  const request = c.get('request');
  const logFields = { ...request.ids, route: request.route };
  let waitedBefore = 0;
  let waitingSince: number | undefined;
  let sentBytes = 0;
  let isClosed = false;
  let stallTimer: ReturnType<typeof setTimeout> | undefined;
  let accessTimer: ReturnType<typeof setTimeout> | undefined;
  const waited = () => waitedBefore + (waitingSince === undefined ? 0 : performance.now() - waitingSince);
  const reader: ListReader = { taken: () => sentBytes, waited, breakOff: () => {} };

  function stopWaiting(): void {
    clearTimeout(stallTimer);
    waitedBefore = waited();
    waitingSince = undefined;
  }

  /** Ends the body when the client has lost access, until the body has ended. */
  function watchAccess(lose: () => void, checkedAt = performance.now()): void {
    if (!recheck) return;
    accessTimer = setTimeout(async () => {
      const access = await recheck().then(
        () => 'kept',
        (error) => (error instanceof ApiError && REFUSALS.has(error.status) ? 'lost' : 'unknown'),
      );
      if (isClosed) return;
      const now = performance.now();
      const at = access === 'kept' ? now : checkedAt;
      if (access === 'lost' || now - at > UNCHECKED_MS) lose();
      else watchAccess(lose, at);
    }, RECHECK_MS[what]);
  }

  function close(): void {
    isClosed = true;
    stopWaiting();
    clearTimeout(accessTimer);
  }

  function push(controller: ReadableStreamDefaultController<Uint8Array>, bytes: Uint8Array): void {
    controller.enqueue(bytes);
    sentBytes += bytes.byteLength;
    waitingSince = performance.now();
    if (what !== 'export') stallTimer = setTimeout(reader.breakOff, STALL_MS);
  }

  function send(first: Uint8Array, { next, end }: BodyParts): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const breakOff = (reason: string) => {
            close();
            const waited_ms = Math.round(waited());
            log.info(`${what} broken off, ${reason}`, { ...logFields, waited_ms, bytes: sentBytes });
            abortResponse(c, controller);
            end().catch(() => {});
          };
          reader.breakOff = () => breakOff('its reader is slow');
          watchAccess(() => breakOff('its reader has lost access'));
          push(controller, first);
        },
        async pull(controller) {
          stopWaiting();
          try {
            const { bytes, isLast } = await next();
            if (isClosed) return;
            if (!isLast) return push(controller, bytes);
            controller.enqueue(bytes);
            controller.close();
            close();
            await end();
          } catch (error) {
            if (isClosed) return;
            close();
            log.error(`${what} broken off`, { ...logFields, error });
            abortResponse(c, controller);
            await end();
          }
        },
        async cancel() {
          close();
          await end();
        },
      },
      // The database produces the next rows of a list while the client reads these.
      { highWaterMark: what === 'list' ? 2 : 1 },
    );
  }

  return { reader, send };
}

/** Aborts a response, so that the client notices that it is incomplete. */
function abortResponse(c: PublicCall['c'], controller: ReadableStreamDefaultController<Uint8Array>): void {
  // On Node, destroy the socket: @hono/node-server writes an error of the stream to stderr.
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (incoming) incoming.socket.destroy();
  else controller.error(new Error('broken off'));
}
