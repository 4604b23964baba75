import type { HttpBindings } from '@hono/node-server';
import type { Transactions } from '../../../db/pool/query.ts';
import { readAtOnce, readRows, type TextQuery } from '../../../db/stream.ts';
import type { ListReader } from '../../fair-share/list-permits.ts';
import { permitOr } from '../../fair-share/over-share.ts';
import type { Org } from '../../orgs/directory.ts';
import type { Raw } from '../answer.ts';
import type { PublicCall } from '../call.ts';
import type { Headers, ResultInfo } from '../respond.ts';
import { concat, holdingPermit, prefetch } from './batches.ts';
import { envelopeFormat, formatRows, type ListFormat } from './list-format.ts';
import { paced, tooLong } from './search.ts';

const ROWS_PER_FETCH = 200;

/** The fraction of `rowsPerFetch` that is fetched while other organizations send requests, because a fetch uses CPU time. */
const SHARED_FETCH = 1 / 2;

/** Pages with at most this number of rows are read completely into memory. */
const MAX_BUFFERED_ROWS = 100;

/** A client that reads nothing for this time is disconnected, to free its database connection. */
const STALL_MS = 30_000;

const encoder = new TextEncoder();

export interface RowsOptions {
  info?: ResultInfo;
  /** Unset: the envelope. */
  format?: ListFormat | undefined;
  /** In addition to the content type. */
  headers?: Headers | undefined;
  /** Lower it for rows that may be large. */
  rowsPerFetch?: number;
  /** No index has the list in order: each fetch has the timeout of a search. */
  isSearch?: boolean;
  /** Reads the replica if there is one that is current: for lists whose cost grows with the organization. */
  fromReplica?: boolean;
}

/**
 * Answers with rows that PostgreSQL returns as text: JSON, unless `format` says otherwise. The rows are streamed at the
 * speed of the client. If the database fails or the client stops reading, the connection is aborted, so that the client does
 * not take the list for complete.
 */
export async function answerRows(
  call: PublicCall & { org: Org },
  query: TextQuery,
  options: RowsOptions = {},
): Promise<Raw> {
  const { c, services, log, org } = call;
  const { info, rowsPerFetch = ROWS_PER_FETCH, isSearch, fromReplica } = options;
  const request = c.get('request');
  const format = options.format ?? envelopeFormat(request, info);
  const headers = { 'content-type': format.type, ...options.headers };
  // The body of a HEAD response is never read, so it would never free its database connection.
  if (c.req.method === 'HEAD') return { status: 200, headers, body: null };

  const restAfter = (ms: number) => services.gate.restAfter(org.id, 'list', ms);
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, restAfter(ms)));
  const partsOf = (rows: readonly Uint8Array[]) => formatRows(format, rows, pause);
  const [head, separator] = [encoder.encode(format.head), encoder.encode(format.separator)];
  const tail = () => encoder.encode(format.tail());
  const complete = async (rows: readonly Uint8Array[]) => concat([head, ...(await partsOf(rows)), tail()]);
  if (info && info.per_page <= MAX_BUFFERED_ROWS) {
    return { status: 200, headers, body: await complete(await readAtOnce(call.sql, query)) };
  }

  let waitedBefore = 0;
  let waitingSince: number | undefined;
  let sentBytes = 0;
  const waited = () => waitedBefore + (waitingSince === undefined ? 0 : performance.now() - waitingSince);
  const reader: ListReader = { taken: () => sentBytes, waited, breakOff: () => {} };
  const { searchMs } = services.config;
  const batchesFrom = (client: Transactions) => {
    // The first batch is complete, also when it is read again: a smaller one would count as the whole list.
    let fetches = 0;
    const nextFetch = () =>
      fetches++ === 0 || services.gate.isAlone(org.id)
        ? rowsPerFetch
        : Math.ceil(rowsPerFetch * SHARED_FETCH);
    return readRows(client, query, nextFetch, isSearch ? searchMs : undefined);
  };
  const unpaced = fromReplica ? services.reads.stream(org, batchesFrom) : batchesFrom(call.sql);
  const read = paced(call, unpaced, isSearch);
  call.leaveGate();
  const cancelPermit = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, cancelPermit.signal]);
  const permit = services.listPermits.enter(reader, { org: org.id, signal });
  if (!info && !isSearch && !(await isSettled(permit))) {
    const rows = await readShort(call, query, rowsPerFetch);
    if (rows) {
      cancelPermit.abort();
      permit.then(
        (release) => release(),
        () => {},
      );
      return { status: 200, headers, body: await complete(rows) };
    }
  }
  const batches = holdingPermit(
    permitOr(permit, 'This organization reads too many lists at a time.'),
    format.row ? prefetch(read) : read,
  );
  // The first batch is read before the response begins, so that a failing query still gets an error response.
  const first = await batches.next().catch((error) => {
    throw isSearch ? tooLong(error, searchMs) : error;
  });
  const rows = first.done ? [] : first.value;
  if (rows.length < rowsPerFetch) {
    await batches.return(undefined);
    return { status: 200, headers, body: await complete(rows) };
  }
  const parts = await partsOf(rows).catch(async (error) => {
    await batches.return(undefined);
    throw error;
  });

  let stallTimer: ReturnType<typeof setTimeout> | undefined;
  const waitForReader = () => {
    waitingSince = performance.now();
    stallTimer = setTimeout(reader.breakOff, STALL_MS);
  };
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, parts: Uint8Array[]) => {
    const bytes = concat(parts);
    controller.enqueue(bytes);
    sentBytes += bytes.byteLength;
    waitForReader();
  };
  const stopWaiting = () => {
    clearTimeout(stallTimer);
    waitedBefore = waited();
    waitingSince = undefined;
  };
  const logFields = { ...request.ids, route: request.route };
  let isClosed = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        reader.breakOff = () => {
          isClosed = true;
          stopWaiting();
          const waited_ms = Math.round(waited());
          log.info('list broken off, its reader is slow', { ...logFields, waited_ms, bytes: sentBytes });
          abortResponse(c, controller);
          batches.return(undefined).catch(() => {});
        };
        send(controller, [head, ...parts]);
      },
      async pull(controller) {
        stopWaiting();
        try {
          const { done, value } = await batches.next();
          if (isClosed) return;
          if (!done && value.length > 0) {
            const parts = await partsOf(value);
            return isClosed ? undefined : send(controller, [separator, ...parts]);
          }
          controller.enqueue(tail());
          controller.close();
          await batches.return(undefined);
        } catch (error) {
          if (isClosed) return;
          log.error('list broken off', { ...logFields, error });
          abortResponse(c, controller);
          await batches.return(undefined);
        }
      },
      async cancel() {
        isClosed = true;
        stopWaiting();
        await batches.return(undefined);
      },
    },
    // The database produces the next rows while the client reads these.
    { highWaterMark: 2 },
  );
  return { status: 200, headers, body };
}

/** Aborts a response, so that the client notices that it is incomplete. */
export function abortResponse(
  c: PublicCall['c'],
  controller: ReadableStreamDefaultController<Uint8Array>,
): void {
  // On Node, destroy the socket: @hono/node-server writes an error of the stream to stderr.
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (incoming) incoming.socket.destroy();
  else controller.error(new Error('broken off'));
}

/** A free permit is acquired within this time. */
const SETTLED_WITHIN_MS = 5;

/** Whether a promise settles within `SETTLED_WITHIN_MS`. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, SETTLED_WITHIN_MS, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, timeout]).finally(() => clearTimeout(timer));
}

/**
 * Reads a list with fewer than `max` rows without a permit, like a page, so that slow clients of other organizations that
 * hold all permits do not delay it.
 * @returns undefined when the list is longer or the query fails
 */
async function readShort(
  { sql }: PublicCall,
  query: TextQuery,
  max: number,
): Promise<Uint8Array[] | undefined> {
  try {
    const rows = await readAtOnce(sql, query, max);
    return rows.length < max ? rows : undefined;
  } catch {
    // The regular read reports the error.
    return undefined;
  }
}
