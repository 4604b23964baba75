import { JSONParser } from '@streamparser/json';
import { TransportError } from './errors.ts';

/** No row of the API is as large. */
const MAX_ROW_BYTES = 16 * 2 ** 20;

/**
 * Reads the rows of an envelope while it arrives, so that memory holds one chunk and one row.
 * @throws TransportError if the envelope is incomplete or has no list
 */
export async function* rowsOf<Row>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void> {
  const rows: Row[] = [];
  let hasList = false;
  let bytes = 0;
  const parser = new JSONParser({ paths: ['$', '$.result.*'] });
  parser.onValue = ({ value, parent, stack }) => {
    if (stack.length === 0) hasList = Array.isArray((value as { result?: unknown } | null)?.result);
    if (!Array.isArray(parent)) return;
    rows.push(value as Row);
    parent.pop();
    bytes = 0;
  };
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    try {
      parser.write(chunk);
    } catch (cause) {
      throw incomplete(cause);
    }
    if (bytes > MAX_ROW_BYTES)
      throw new TransportError('too_large', `A row has more than ${MAX_ROW_BYTES} bytes.`);
    yield* rows.splice(0);
  }
  if (!parser.isEnded) throw incomplete();
  if (!hasList) throw new TransportError('invalid_response', 'The response is not a list of the service.');
}

const incomplete = (cause?: unknown) =>
  new TransportError('invalid_response', 'The response is not JSON, or is incomplete.', { cause });
