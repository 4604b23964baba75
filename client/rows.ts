import { type Frame, type JsonHandler, JsonScanner } from '../lib/importers/parts/json-scanner.ts';
import { TransportError } from './errors.ts';

/** No row of the API is as large. */
const MAX_ROW_BYTES = 16 * 2 ** 20;

/**
 * Reads the rows of an envelope while it arrives, so that memory holds one chunk and one row.
 * @throws TransportError if the envelope is incomplete or has no list
 */
export async function* rowsOf<Row>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void> {
  const rows: Row[] = [];
  const reader = new RowReader((text) => rows.push(parse(text)));
  const scanner = new JsonScanner(reader);
  for await (const chunk of chunks) {
    scan(() => scanner.push(chunk));
    yield* rows.splice(0);
  }
  scan(() => scanner.finish());
  if (!reader.hasList || !reader.hasEnded)
    throw new TransportError('invalid_response', 'The response is not a list of the service.');
}

function parse<Row>(text: string): Row {
  try {
    return JSON.parse(text) as Row;
  } catch (cause) {
    throw new TransportError('invalid_response', 'A row of the response is not JSON.', { cause });
  }
}

/** The scanner's errors are about brackets. */
function scan(step: () => void): void {
  try {
    step();
  } catch (cause) {
    if (cause instanceof TransportError) throw cause;
    throw new TransportError('invalid_response', 'The response is not JSON, or is incomplete.', { cause });
  }
}

/** Collects the members of the list `result` of the outermost object. */
class RowReader implements JsonHandler {
  hasList = false;
  hasEnded = false;
  #collects = false;
  #parts: Uint8Array[] = [];
  #size = 0;
  readonly #onRow: (text: string) => void;

  constructor(onRow: (text: string) => void) {
    this.#onRow = onRow;
  }

  open(frames: readonly Frame[]): boolean {
    const [root, list] = frames;
    if (!list) return root?.isList === false;
    if (frames.length > 2 || !list.isList || root?.key !== 'result') return false;
    this.#collects = true;
    this.hasList = true;
    return true;
  }

  bytes(chunk: Uint8Array, from: number, to: number): void {
    if (!this.#collects || from === to) return;
    this.#size += to - from;
    if (this.#size > MAX_ROW_BYTES)
      throw new TransportError('too_large', `A row has more than ${MAX_ROW_BYTES} bytes.`);
    this.#parts.push(chunk.slice(from, to));
  }

  member(frames: readonly Frame[]): boolean {
    if (frames.length === 2) this.#flush();
    return false;
  }

  close(frames: readonly Frame[]): void {
    if (frames.length !== 2) return;
    this.#flush();
    this.#collects = false;
  }

  end(): void {
    this.hasEnded = true;
  }

  #flush(): void {
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    this.#parts = [];
    this.#size = 0;
    const text = new TextDecoder().decode(bytes);
    if (text.trim() !== '') this.#onRow(text);
  }
}
