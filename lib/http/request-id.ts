/** A request id that is taken over from a request. */
export const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id that a request brings along, when it is one that is taken over. */
export function requestIdOf(given: string | undefined): string | undefined {
  return given !== undefined && REQUEST_ID.test(given) ? given : undefined;
}

const NUMBERS = 512;

/** Makes request ids: `req_` and 32 random hex digits. Random bytes are asked for many at a time. */
export function createRequestIds(): () => string {
  const pool = new Uint32Array(NUMBERS);
  let used = NUMBERS;
  const digits = () => (pool[used++] as number).toString(16).padStart(8, '0');
  return () => {
    if (used === NUMBERS) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    return `req_${digits()}${digits()}${digits()}${digits()}`;
  };
}
