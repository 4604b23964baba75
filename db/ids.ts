import { v7 } from 'uuid';

/** A new id and the millisecond it carries. */
export interface NewId {
  id: string;
  at: Date;
}

/**
 * Makes UUID v7 ids (RFC 9562) that only grow, with the time they carry: a row whose `created_at` is that time
 * sorts by id as it sorts by (`created_at`, `id`).
 */
export function createIds(clock: () => Date): () => NewId {
  let last = 0;
  let seq = 0;
  const randomPiece = createRandomPool(16);
  return () => {
    const now = clock().getTime();
    if (now > last) {
      last = now;
      // The upper half stays free, so that one millisecond has room to count.
      seq = Math.floor(Math.random() * 0x4000_0000);
    } else {
      seq++;
    }
    return { id: v7({ msecs: last, seq, random: randomPiece() }), at: new Date(last) };
  };
}

/** Random bytes, `size` at a time; the system is asked once for many, which is felt at thousands of ids a second. */
function createRandomPool(size: number): () => Uint8Array {
  const pool = new Uint8Array(size * 256);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used);
  };
}

/** The lowest UUID that carries this time, in milliseconds. */
export function lowestIdAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The time that a UUID v7 carries. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
