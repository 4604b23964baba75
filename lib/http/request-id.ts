import { createRandomPool } from '../../db/ids.ts';

/** A request id that is taken over from a request. */
export const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Makes request ids: `req_` and 32 hex digits. */
export function createRequestIds(): () => string {
  const randomPiece = createRandomPool(16);
  return () => {
    let id = 'req_';
    for (const byte of randomPiece()) id += HEX[byte];
    return id;
  };
}
