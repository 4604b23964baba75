import type { Transactions } from '../../../db/pool/query.ts';
import { type RowBatch, readAtOnce, readRows, type TextQuery } from '../../../db/stream.ts';
import { permitOr } from '../../fair-share/over-share.ts';
import type { Org } from '../../orgs/directory.ts';
import type { Raw } from '../answer.ts';
import type { PublicCall } from '../call.ts';
import type { Headers, ResultInfo } from '../respond.ts';
import { concat, holdingPermit, prefetch } from './batches.ts';
import { envelopeFormat, formatRows, type ListFormat } from './list-format.ts';
import { batchesInTurn, tooLong } from './search.ts';
import { createBodyStream } from './stream.ts';

/** Pages with at most this number of rows are read completely into memory. */
const MAX_BUFFERED_ROWS = 100;

const encoder = new TextEncoder();

export interface RowsOptions {
  info?: ResultInfo;
  /** Unset: the envelope. */
  format?: ListFormat | undefined;
  /** In addition to the content type. */
  headers?: Headers | undefined;
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
  const { c, services, org } = call;
  const { info, isSearch, fromReplica } = options;
  const request = c.get('request');
  const format = options.format ?? envelopeFormat(request, info);
  const headers = { 'content-type': format.type, ...options.headers };
  // The body of a HEAD response is never read, so it would never free its database connection.
  if (c.req.method === 'HEAD') return { status: 200, headers, body: null };

  const [head, separator] = [encoder.encode(format.head), encoder.encode(format.separator)];
  const tail = () => encoder.encode(format.tail());
  const complete = (rows: readonly Uint8Array[]) => concat([head, ...rows, tail()]);
  if (info && info.per_page <= MAX_BUFFERED_ROWS) {
    const rows = await readAtOnce(call.sql, query);
    return { status: 200, headers, body: complete(await formatRows(format, rows)) };
  }

  const { reader, send } = createBodyStream(call, 'list');
  const { searchMs } = services.config;
  const rowsFrom = (client: Transactions) => readRows(client, query, isSearch ? searchMs : undefined);
  const rowBatches = fromReplica ? services.reads.stream(org, rowsFrom) : rowsFrom(call.sql);
  const read = batchesInTurn(call, formatBatches(format, rowBatches), isSearch);
  call.leaveGate();
  const cancelPermit = new AbortController();
  const signal = AbortSignal.any([c.req.raw.signal, cancelPermit.signal]);
  const permit = services.listPermits.enter(reader, { org, signal });
  if (!info && !isSearch && !(await isSettled(permit))) {
    const rows = await readShort(call, query);
    if (rows) {
      cancelPermit.abort();
      permit.then(
        (release) => release(),
        () => {},
      );
      return { status: 200, headers, body: complete(await formatRows(format, rows)) };
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
  const { parts, isLast } = first.done ? { parts: [], isLast: true } : first.value;
  if (isLast) {
    await batches.return(undefined);
    return { status: 200, headers, body: complete(parts) };
  }

  const body = send(concat([head, ...parts]), {
    async next() {
      const { done, value } = await batches.next();
      if (done) return { bytes: tail(), isLast: true };
      return { bytes: concat([separator, ...value.parts]), isLast: false };
    },
    end: () => batches.return(undefined),
  });
  return { status: 200, headers, body };
}

/** Rows of a list as the response has them. */
interface Batch {
  parts: readonly Uint8Array[];
  isLast: boolean;
}

async function* formatBatches(format: ListFormat, batches: AsyncGenerator<RowBatch>): AsyncGenerator<Batch> {
  for await (const { rows, isLast } of batches) yield { parts: await formatRows(format, rows), isLast };
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
 * Reads a list of one batch without a permit, like a page, so that slow clients of other organizations that hold all permits do
 * not delay it.
 * @returns undefined when the list is longer or the query fails
 */
async function readShort({ sql }: PublicCall, query: TextQuery): Promise<Uint8Array[] | undefined> {
  const batches = readRows(sql, query);
  try {
    const first = await batches.next();
    if (first.done) return [];
    return first.value.isLast ? first.value.rows : undefined;
  } catch {
    // The regular read reports the error.
    return undefined;
  } finally {
    await batches.return(undefined);
  }
}
