import { ReportError } from '../report-error.ts';

/** A list or an object that contains the current position. */
export interface Frame {
  isList: boolean;
  /** The number of the current member. */
  index: number;
  /** The name of the current member of an object, once its value has begun. */
  key: string;
}

/** Is told about the members of the lists and objects that it tracks. The bytes between are not looked at. */
export interface JsonHandler {
  /** Bytes up to the next event. The chunk may be reused later. */
  bytes(chunk: Uint8Array, from: number, to: number): void;
  /** A list or an object has begun, after its bracket. @returns whether to track its members */
  open(frames: readonly Frame[]): boolean;
  /** A member of a tracked list or object has ended. @returns whether the comma is a part of the document */
  member(frames: readonly Frame[]): boolean;
  /** A tracked list or object ends, before its bracket. */
  close(frames: readonly Frame[]): void;
  /** A list or an object that is in no other has ended. */
  end(): void;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The characters that are looked at outside of strings. */
const IS_SPECIAL = new Uint8Array(256);
for (const code of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT])
  IS_SPECIAL[code ?? 0] = 1;

/** Ends a run of ordinary characters in a string. */
const ENDS_RUN = new Uint8Array(256);
for (const code of [QUOTE, BACKSLASH]) ENDS_RUN[code ?? 0] = 1;

/** Longer names match no path. */
const MAX_KEY = 1_000;

/**
 * Finds the boundaries of the members of lists and objects in JSON, of which each can then be parsed by `JSON.parse`. It does not
 * validate: what is invalid between the boundaries is found when it is parsed.
 */
export class JsonScanner {
  #handler: JsonHandler;
  #frames: Frame[] = [];
  /** The number of open brackets. The frames are those of the first ones. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The bytes of a name in a tracked object. */
  #key: number[] | undefined;

  constructor(handler: JsonHandler) {
    this.#handler = handler;
  }

  push(chunk: Uint8Array): void {
    const handler = this.#handler;
    const frames = this.#frames;
    let start = 0;
    let i = 0;
    while (i < chunk.length) {
      if (this.#inString) {
        i = this.#skipString(chunk, i);
        continue;
      }
      const byte = chunk[i++] as number;
      if (IS_SPECIAL[byte] === 0) continue;
      switch (byte) {
        case QUOTE: {
          this.#inString = true;
          const frame = this.#depth === frames.length ? frames.at(-1) : undefined;
          this.#key = frame && !frame.isList && frame.key === '' ? [] : undefined;
          break;
        }
        case OPEN_LIST:
        case OPEN_OBJECT: {
          if (this.#depth++ !== frames.length) break;
          handler.bytes(chunk, start, i);
          start = i;
          frames.push({ isList: byte === OPEN_LIST, index: 0, key: '' });
          if (!handler.open(frames)) frames.pop();
          break;
        }
        case COMMA: {
          const frame = this.#depth === frames.length ? frames.at(-1) : undefined;
          if (!frame) break;
          handler.bytes(chunk, start, i - 1);
          start = handler.member(frames) ? i - 1 : i;
          frame.index++;
          frame.key = '';
          break;
        }
        case CLOSE_LIST:
        case CLOSE_OBJECT: {
          if (this.#depth === 0)
            throw new ReportError('The JSON is invalid: a bracket is closed that is not open');
          if (this.#depth === frames.length) {
            handler.bytes(chunk, start, i - 1);
            start = i - 1;
            handler.close(frames);
            frames.pop();
          }
          this.#depth--;
          if (this.#depth === 0) {
            handler.bytes(chunk, start, i);
            start = i;
            handler.end();
          }
          break;
        }
        default:
      }
    }
    handler.bytes(chunk, start, chunk.length);
  }

  /** @throws ReportError if the JSON ends early */
  finish(): void {
    if (this.#depth > 0 || this.#inString)
      throw new ReportError('The JSON ends early: the report is truncated');
  }

  /** @returns the position after the string, or the end of the chunk */
  #skipString(chunk: Uint8Array, from: number): number {
    const key = this.#key;
    let i = from;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      key?.push(chunk[i] ?? 0);
      i++;
    }
    for (; i < chunk.length; i++) {
      if (!key) while (i < chunk.length && ENDS_RUN[chunk[i] as number] === 0) i++;
      if (i === chunk.length) return i;
      const byte = chunk[i] ?? 0;
      if (byte === QUOTE) {
        this.#inString = false;
        if (key) this.#endKey(key);
        return i + 1;
      }
      if (key && key.length < MAX_KEY) key.push(byte);
      if (byte === BACKSLASH) {
        i++;
        if (i === chunk.length) this.#isEscaped = true;
        else key?.push(chunk[i] ?? 0);
      }
    }
    return chunk.length;
  }

  #endKey(bytes: number[]): void {
    const frame = this.#frames.at(-1);
    this.#key = undefined;
    if (!frame) return;
    const name = new TextDecoder().decode(new Uint8Array(bytes));
    try {
      frame.key = bytes.length < MAX_KEY ? JSON.parse(`"${name}"`) : TOO_LONG;
    } catch {
      frame.key = TOO_LONG;
    }
    // An empty name must not look like none.
    frame.key ||= TOO_LONG;
  }
}

const TOO_LONG = '\0';
