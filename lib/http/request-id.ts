/** A request id that is taken over from a request. */
export const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const BYTES = 16;

/** Makes request ids: `req_` and 32 hex digits. Random bytes are asked for many at a time. */
export function createRequestIds(): () => string {
  const pool = Buffer.alloc(BYTES * 256);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    used += BYTES;
    return `req_${pool.toString('hex', used - BYTES, used)}`;
  };
}
