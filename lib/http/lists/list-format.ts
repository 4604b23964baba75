import type { RequestContext } from '../call.ts';
import { JSON_TYPE, messageOf, type ResultInfo } from '../respond.ts';

/** The output format of a list. */
export interface ListFormat {
  /** Media type. */
  type: string;
  head: string;
  separator: string;
  /** Called after the last row. */
  tail(): string;
  /** Converts a row as the database sent it. Unset: the row is written unchanged. */
  row?(row: Uint8Array): string;
}

/** Writes rows of JSON as the `result` of an envelope. */
export function envelopeFormat(request: RequestContext, info: ResultInfo | undefined): ListFormat {
  const message = messageOf(request);
  const said = message === undefined ? '' : `,"message":${JSON.stringify(message)}`;
  const resultInfo = info ? `,"result_info":${JSON.stringify(info)}` : '';
  return {
    type: JSON_TYPE['content-type'],
    head: `{"success":true,"request_id":${JSON.stringify(request.requestId)}${said}${resultInfo},"result":[`,
    separator: ',',
    tail: () => ']}',
  };
}

/** Rows are converted in slices of this length, so that other requests wait no longer. */
const SLICE_MS = 2;
const encoder = new TextEncoder();

/**
 * Formats rows, in slices: other requests run in between.
 * @returns parts of the output, to be concatenated
 */
export async function formatRows(
  { row: convert, separator }: ListFormat,
  rows: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  if (!convert) {
    const bytes = encoder.encode(separator);
    return rows.flatMap((row, i) => (i === 0 ? [row] : [bytes, row]));
  }
  const texts: string[] = [];
  let sliceStart = performance.now();
  for (const row of rows) {
    texts.push(convert(row));
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    sliceStart = performance.now();
  }
  return [encoder.encode(texts.join(separator))];
}
