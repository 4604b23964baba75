/** The format of request ids that are accepted from clients. */
export const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The request id that a client sent; undefined when it is missing or invalid. */
export function requestIdOf(sent: string | undefined): string | undefined {
  return sent !== undefined && REQUEST_ID.test(sent) ? sent : undefined;
}

const BUFFER_SIZE = 512;

/** Generates request ids: `req_` and 32 random hex digits. Random numbers are buffered, which is faster. */
export function createRequestIds(): () => string {
  const buffer = new Uint32Array(BUFFER_SIZE);
  let used = BUFFER_SIZE;
  const digits = () => (buffer[used++] as number).toString(16).padStart(8, '0');
  return () => {
    if (used === BUFFER_SIZE) {
      crypto.getRandomValues(buffer);
      used = 0;
    }
    return `req_${digits()}${digits()}${digits()}${digits()}`;
  };
}
