/** A request id that is taken over from a request. */
export const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const DIGITS = 16;

/** Makes request ids: `req_` and 32 hex digits. Half of them are random and the maker's, half are a number. */
export function createRequestIds(): () => string {
  const maker = crypto.randomUUID().replaceAll('-', '').slice(0, DIGITS);
  let made = 0;
  return () => `req_${maker}${(++made).toString(16).padStart(DIGITS, '0')}`;
}
