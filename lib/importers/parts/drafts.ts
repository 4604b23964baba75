import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Identify, Result } from '../importer.ts';

/** A result that can be stored: what identifies it is computed. */
export interface Draft {
  result: Result;
  /** As `contentOf` returns it. */
  content: string;
  stored: string;
}

type Shown = Omit<Result, 'identify' | 'identifyFormerly' | 'identifyVaguely'>;
type Stored = [shown: Shown, identity: string, neighbours: string | null, formerly: string | null];

/** Computes what identifies a result. Not for workspaces in which files have former paths. */
export function draftOf(original: Result): Draft {
  const { identify, identifyFormerly, identifyVaguely: _v, ...shown } = original;
  const identity = identify(shown.file);
  const neighbours = identify.neighbours?.() ?? null;
  const formerly = identifyFormerly?.(shown.file) ?? null;
  const json = JSON.stringify(shown);
  return {
    result: resultOf([shown, identity, neighbours, formerly]),
    content: `${identity} ${json}`,
    stored: `[${json},${JSON.stringify([identity, neighbours, formerly]).slice(1)}`,
  };
}

function resultOf([shown, identity, neighbours, formerly]: Stored): Result {
  const identify: Identify =
    neighbours === null ? () => identity : Object.assign(() => identity, { neighbours: () => neighbours });
  return { ...shown, identify, ...(formerly !== null && { identifyFormerly: () => formerly }) };
}

const BLOCK_CHARACTERS = 256 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;
/** Texts of findings repeat each other: the fastest level makes them ten times smaller. */
const LEVEL = 1;

/** Keeps the results of a pass, compressed, so that the next pass does not have to import the report again. */
export class Drafts {
  #blocks: Uint8Array[] = [];
  #bytes = 0;
  #waiting: string[] = [];
  #characters = 0;

  /** Whether there was no room for all results. */
  get isFull(): boolean {
    return this.#bytes > MAX_BYTES;
  }

  add({ stored }: Draft): void {
    if (this.isFull) return;
    this.#waiting.push(stored);
    this.#characters += stored.length;
    if (this.#characters >= BLOCK_CHARACTERS) this.#compress();
  }

  #compress(): void {
    const block = deflateRawSync(`[${this.#waiting.join(',')}]`, { level: LEVEL });
    this.#waiting = [];
    this.#characters = 0;
    this.#bytes += block.length;
    // A copy, because zlib returns a part of a larger buffer.
    this.#blocks.push(new Uint8Array(block));
    if (this.isFull) this.#blocks = [];
  }

  /** All results, in their order, some at a time. They can be read once. */
  *results(): Generator<Result[]> {
    if (this.#waiting.length > 0) this.#compress();
    this.#blocks.reverse();
    for (let block = this.#blocks.pop(); block; block = this.#blocks.pop())
      yield (JSON.parse(inflateRawSync(block).toString()) as Stored[]).map(resultOf);
  }
}
