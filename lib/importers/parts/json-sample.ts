import { ReportError } from '../importer.ts';
import type { Frame, JsonHandler } from './json-scanner.ts';
import { JsonScanner } from './json-scanner.ts';
import { Bytes } from './part.ts';

/** The part of a report by which its format is recognized: the first members of each list. */
const MAX_MEMBERS = 20;
const MAX_NAMES = 2_000;
const MAX_DEPTH = 8;
/** Beyond this size, one member of each further list, and fewer names. */
const ENOUGH_BYTES = 4 * 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
const FEW_NAMES = 50;

export interface JsonSample {
  /** The first documents, with the first members of their lists. */
  documents: unknown[];
  /** How many documents there are in a row. */
  count: number;
}

class SampleHandler implements JsonHandler {
  readonly sample: JsonSample = { documents: [], count: 0 };
  readonly text = new Bytes('A part of the report besides its lists is', MAX_BYTES);
  #isDropping = false;
  #bytes = 0;

  bytes(chunk: Uint8Array, from: number, to: number): void {
    if (!this.#isDropping && this.sample.count < MAX_MEMBERS) this.text.append(chunk, from, to);
  }

  open(frames: readonly Frame[]): boolean {
    return !this.#isDropping && frames.length <= MAX_DEPTH && this.sample.count < MAX_MEMBERS;
  }

  member(frames: readonly Frame[]): boolean {
    const { isList = false, index = 0 } = frames.at(-1) ?? {};
    const isEnough = this.#bytes + this.text.length > ENOUGH_BYTES;
    const limit = isList ? (isEnough ? 1 : MAX_MEMBERS) : isEnough ? FEW_NAMES : MAX_NAMES;
    if (index + 1 >= limit) this.#isDropping = true;
    return !this.#isDropping;
  }

  close(): void {
    this.#isDropping = false;
  }

  end(): void {
    if (this.sample.count++ >= MAX_MEMBERS) return;
    try {
      this.sample.documents.push(JSON.parse(this.text.text()));
    } catch {
      throw new ReportError(
        'The JSON is invalid',
        this.sample.count > 1 ? `document ${this.sample.count}` : undefined,
      );
    }
    this.#bytes += this.text.length;
    this.text.clear();
  }
}

/** Reads the structure of a JSON report. @throws ReportError if its brackets do not match */
export async function sampleOf(chunks: AsyncIterable<Uint8Array>): Promise<JsonSample> {
  const handler = new SampleHandler();
  const scanner = new JsonScanner(handler);
  for await (const chunk of chunks) scanner.push(chunk);
  scanner.finish();
  if (!handler.text.isBlank() && handler.sample.count < MAX_MEMBERS)
    throw new ReportError('The JSON is invalid after its end');
  return handler.sample;
}
