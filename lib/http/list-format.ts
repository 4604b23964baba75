import type { RequestContext } from './call.ts';
import { JSON_TYPE, type ResultInfo } from './respond.ts';

/** What the rows of a list are put into. */
export interface ListFormat {
  /** Media type. */
  type: string;
  head: string;
  separator: string;
  /** Asked for when all rows have been given. */
  tail(): string;
  /** What is made of a row as the database sent it; without this it is taken as it is. */
  row?(row: Uint8Array): string;
}

/** Rows of JSON as the result of an envelope. */
export function envelopeFormat({ requestId }: RequestContext, info: ResultInfo | undefined): ListFormat {
  const beside = info ? `,"result_info":${JSON.stringify(info)}` : '';
  return {
    type: JSON_TYPE['content-type'],
    head: `{"success":true,"request_id":${JSON.stringify(requestId)}${beside},"result":[`,
    separator: ',',
    tail: () => ']}',
  };
}

/** How long other requests wait while rows are converted. */
const SLICE_MS = 2;
const encoder = new TextEncoder();

/**
 * Rows as they are given, in parts that only have to be put together.
 * @param pause lets other requests go on after so many milliseconds of work
 */
export async function formatted(
  { row: convert, separator }: ListFormat,
  rows: readonly Uint8Array[],
  pause: (ms: number) => Promise<void>,
): Promise<Uint8Array[]> {
  if (!convert) {
    const between = encoder.encode(separator);
    return rows.flatMap((row, i) => (i === 0 ? [row] : [between, row]));
  }
  const texts: string[] = [];
  let since = performance.now();
  for (const row of rows) {
    texts.push(convert(row));
    const took = performance.now() - since;
    if (took < SLICE_MS) continue;
    await pause(took);
    since = performance.now();
  }
  return [encoder.encode(texts.join(separator))];
}
