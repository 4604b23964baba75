import type { HttpBindings } from '@hono/node-server';
import { searchSettings } from '../../db/findings/search.ts';
import { readAtOnce, readRows, type TextQuery } from '../../db/stream.ts';
import type { ListReader } from '../fair-share/list-places.ts';
import { placeOr } from '../fair-share/over-share.ts';
import type { Org } from '../orgs/directory.ts';
import type { Raw } from './answer.ts';
import type { PublicCall } from './call.ts';
import { envelopeFormat, formatted, type ListFormat } from './list-format.ts';
import type { Headers, ResultInfo } from './respond.ts';
import { paced, tooLong } from './search.ts';

const ROWS_PER_FETCH = 200;

/** With requests of other organizations, the part of them that is fetched at once: each fetch keeps a processor busy. */
const SHARED_FETCH = 1 / 4;

/** Pages of so many rows are fetched at once; in larger ones there may be too much. */
const MAX_AT_ONCE = 100;

/** A reader that takes nothing for so long has stopped: its connection is for others. */
const STALL_MS = 30_000;

const encoder = new TextEncoder();

export interface RowsOptions {
  info?: ResultInfo;
  /** The array of an envelope when left out. */
  format?: ListFormat | undefined;
  /** Beside the type. */
  headers?: Headers | undefined;
  /** Fewer for rows that may be large. */
  rowsPerFetch?: number;
  /** Rows are looked for one by one: no part may take longer than a search. */
  isSearch?: boolean;
}

/**
 * Answers rows that PostgreSQL has made into text, JSON where no other format is given. A list of any length goes
 * through in pieces, at the speed of its reader; when the database fails half way, or the reader stops, the
 * connection is broken off instead of ending as if the list were whole.
 */
export async function answerRows(
  call: PublicCall & { org: Org },
  query: TextQuery,
  options: RowsOptions = {},
): Promise<Raw> {
  const { c, services, log, org } = call;
  const { info, rowsPerFetch = ROWS_PER_FETCH, isSearch } = options;
  const request = c.get('request');
  const format = options.format ?? envelopeFormat(request, info);
  const headers = { 'content-type': format.type, ...options.headers };
  // Nobody would read the body, and so nobody would free its connection.
  if (c.req.method === 'HEAD') return { status: 200, headers, body: null };

  const restAfter = (ms: number) => services.gate.restAfter(org.id, ms);
  const pause = (ms: number) => new Promise<void>((others) => setTimeout(others, restAfter(ms)));
  const partsOf = (rows: readonly Uint8Array[]) => formatted(format, rows, pause);
  const [head, separator] = [encoder.encode(format.head), encoder.encode(format.separator)];
  const tail = () => encoder.encode(format.tail());
  const allOf = async (rows: readonly Uint8Array[]) => concat([head, ...(await partsOf(rows)), tail()]);
  if (info && info.per_page <= MAX_AT_ONCE) {
    return { status: 200, headers, body: await allOf(await readAtOnce(call.sql, query)) };
  }

  let waitedBefore = 0;
  let waitsSince: number | undefined;
  let taken = 0;
  const waited = () => waitedBefore + (waitsSince === undefined ? 0 : performance.now() - waitsSince);
  const reader: ListReader = { taken: () => taken, waited, breakOff: () => {} };
  const { searchMs } = services.config;
  const settings = isSearch ? searchSettings(searchMs) : undefined;
  let fetches = 0;
  const nextFetch = () =>
    fetches++ === 0 || services.gate.isAlone(org.id) ? rowsPerFetch : Math.ceil(rowsPerFetch * SHARED_FETCH);
  const read = paced(call, readRows(call.sql, query, nextFetch, settings), isSearch);
  call.stepAside();
  const withdrawn = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, withdrawn.signal]);
  const place = services.listPlaces.enter(reader, { org: org.id, signal });
  if (!info && !isSearch && !(await isSettled(place))) {
    const rows = await readShort(call, query, rowsPerFetch);
    if (rows) {
      withdrawn.abort();
      place.then(
        (leave) => leave(),
        () => {},
      );
      return { status: 200, headers, body: await allOf(rows) };
    }
  }
  const batches = holdingPlace(
    placeOr(place, 'This organization reads too many lists at a time.'),
    format.row ? ahead(read) : read,
  );
  // Asked for before the response begins, so that a failing query is still an ordinary error.
  const first = await batches.next().catch((error) => {
    throw isSearch ? tooLong(error, searchMs) : error;
  });
  const rows = first.done ? [] : first.value;
  if (rows.length < rowsPerFetch) {
    await batches.return(undefined);
    return { status: 200, headers, body: await allOf(rows) };
  }
  const begin = [head, ...(await partsOf(rows))];

  let stalled: ReturnType<typeof setTimeout> | undefined;
  const waitForReader = () => {
    waitsSince = performance.now();
    stalled = setTimeout(reader.breakOff, STALL_MS);
  };
  const give = (controller: ReadableStreamDefaultController<Uint8Array>, parts: Uint8Array[]) => {
    const bytes = concat(parts);
    controller.enqueue(bytes);
    taken += bytes.byteLength;
    waitForReader();
  };
  const stopWaiting = () => {
    clearTimeout(stalled);
    waitedBefore = waited();
    waitsSince = undefined;
  };
  const about = { ...request.ids, route: request.route };
  /** Nobody reads any more. */
  let over = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        reader.breakOff = () => {
          over = true;
          stopWaiting();
          const waited_ms = Math.round(waited());
          log.info('list broken off, its reader is slow', { ...about, waited_ms, bytes: taken });
          breakOff(c, controller);
          batches.return(undefined).catch(() => {});
        };
        give(controller, begin);
      },
      async pull(controller) {
        stopWaiting();
        try {
          const { done, value } = await batches.next();
          if (over) return;
          if (!done && value.length > 0) {
            const parts = await partsOf(value);
            return over ? undefined : give(controller, [separator, ...parts]);
          }
          controller.enqueue(tail());
          controller.close();
          await batches.return(undefined);
        } catch (error) {
          if (over) return;
          log.error('list broken off', { ...about, error });
          breakOff(c, controller);
        }
      },
      async cancel() {
        over = true;
        stopWaiting();
        await batches.return(undefined);
      },
    },
    // The database makes the next rows while the reader takes these.
    { highWaterMark: 2 },
  );
  return { status: 200, headers, body };
}

/** Ends an answer in the middle, so that nobody takes it for whole. */
function breakOff(c: PublicCall['c'], controller: ReadableStreamDefaultController<Uint8Array>): void {
  // Node's connection, where there is one: an error of the stream would be written to stderr, past the log.
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (incoming) incoming.socket.destroy();
  else controller.error(new Error('broken off'));
}

/** How long a place may take that is free. */
const AT_ONCE_MS = 5;

/** Whether a promise is settled at once. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, AT_ONCE_MS, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, later]).finally(() => clearTimeout(timer));
}

/**
 * The rows of a list with fewer than `max`: one statement reads it, as it reads a page, so it needs no place. Readers of
 * other organizations that keep all places for long, on purpose or not, must not delay it.
 * @returns undefined when the list is longer, or cannot be read now
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
    // Whatever it is, reading the list will tell.
    return undefined;
  }
}

/** Lists may hold some of the connections only, and those of one organization some of these, however slow their readers are. */
async function* holdingPlace<T>(place: Promise<() => void>, rows: AsyncGenerator<T>): AsyncGenerator<T> {
  const leave = await place;
  try {
    yield* rows;
  } finally {
    leave();
  }
}

/** Asks for the next while one is worked on. */
async function* ahead<T>(batches: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (let coming = batches.next(); ; ) {
      const { done, value } = await coming;
      if (done) return;
      coming = batches.next();
      // Whether it fails is seen when it is waited for.
      coming.catch(() => {});
      yield value;
    }
  } finally {
    await batches.return(undefined);
  }
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
