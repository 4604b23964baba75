import { ARGON2_PARAMETERS, DECOY_HASH, type PasswordHasher } from '../accounts/passwords/passwords.ts';
import { createHashSlots, type HashSlotsOptions } from './hash-slots.ts';

/** The WebAssembly exports of Argon2's reference implementation (argon2.h). Pointers are numbers; the result 0 is success. */
interface Argon2 {
  memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(size: number): number;
  free(pointer: number): void;
  argon2_encodedlen(
    ...parameters: [
      passes: number,
      kibibytes: number,
      lanes: number,
      salt: number,
      hash: number,
      kind: number,
    ]
  ): number;
  argon2_hash(
    ...parameters: [
      ...[passes: number, kibibytes: number, lanes: number],
      ...[password: number, length: number],
      ...[salt: number, length: number],
      ...[hash: number, length: number],
      ...[encoded: number, length: number],
      ...[kind: number, version: number],
    ]
  ): number;
  argon2_verify(...parameters: [encoded: number, password: number, length: number, kind: number]): number;
}

const ARGON2ID = 2;
const VERSION = 0x13;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MISMATCH = -35;

/** A hash blocks the isolate's only thread for 30 ms, half of a slot. */
const SLOTS: HashSlotsOptions = { slotMs: 60, maxWaitMs: 10_000 };

const encoder = new TextEncoder();

/**
 * Argon2id on the thread of the isolate, one hash at a time, with the same parameters and format as on Node. It calls the
 * WebAssembly directly, because its JavaScript wrapper passes the password's length in UTF-16 units and so truncates
 * passwords with non-ASCII characters.
 */
export function createEdgeHasher(module: WebAssembly.Module, slotOptions = SLOTS): PasswordHasher {
  const slots = createHashSlots(slotOptions);
  let instance: Argon2 | undefined;

  function load(): Argon2 {
    if (!instance) {
      instance = new WebAssembly.Instance(module).exports as unknown as Argon2;
      instance._initialize();
    }
    return instance;
  }

  /** Calls `use` with pointers to copies of `values`, which are erased afterwards. */
  function withCopies<T>(values: Uint8Array[], use: (argon2: Argon2, ...pointers: number[]) => T): T {
    const argon2 = load();
    const pointers = values.map((bytes) => {
      const pointer = argon2.malloc(bytes.length);
      new Uint8Array(argon2.memory.buffer).set(bytes, pointer);
      return pointer;
    });
    try {
      return use(argon2, ...pointers);
    } finally {
      pointers.forEach((pointer, i) => {
        new Uint8Array(argon2.memory.buffer, pointer, values[i]?.length).fill(0);
        argon2.free(pointer);
      });
    }
  }

  function hash(password: string): string {
    const { timeCost, memoryCost, parallelism } = ARGON2_PARAMETERS;
    const parameters = [timeCost, memoryCost, parallelism] as const;
    const bytes = encoder.encode(password);
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    // Includes the terminating NUL.
    const length = load().argon2_encodedlen(...parameters, SALT_BYTES, HASH_BYTES, ARGON2ID);
    const output = [new Uint8Array(HASH_BYTES), new Uint8Array(length)];
    const values = [bytes, salt, ...output];
    return withCopies(values, (argon2, ...[password = 0, salted = 0, raw = 0, encoded = 0]) => {
      const failure = argon2.argon2_hash(
        ...parameters,
        ...([password, bytes.length] as const),
        ...([salted, SALT_BYTES] as const),
        ...([raw, HASH_BYTES] as const),
        ...([encoded, length] as const),
        ...([ARGON2ID, VERSION] as const),
      );
      if (failure) throw new Error(`Argon2 failed: ${failure}`);
      return new TextDecoder().decode(new Uint8Array(argon2.memory.buffer, encoded, length - 1));
    });
  }

  function matches(stored: string, password: string): boolean {
    const bytes = encoder.encode(password);
    const verify = (argon2: Argon2, encoded = 0, password = 0) =>
      argon2.argon2_verify(encoded, password, bytes.length, ARGON2ID);
    const failure = withCopies([encoder.encode(`${stored}\0`), bytes], verify);
    if (failure && failure !== MISMATCH) throw new Error(`Argon2 failed: ${failure}`);
    return failure === 0;
  }

  return {
    async hash(password, client = '') {
      await slots.enter(client);
      return hash(password);
    },
    async verify(stored, password, client = '') {
      await slots.enter(client);
      const isMatch = matches(stored ?? DECOY_HASH, password);
      return isMatch && stored != null;
    },
    requireRoom: slots.requireRoom,
    load: slots.load,
  };
}
