import type { PublicCall } from '../call.ts';
import { bodyReader, type RequestSchemas, readHeaders, readParams, readQuery } from '../request/input.ts';
import { middleware } from './middleware.ts';

/**
 * Reads and validates headers, body and query (400), then the path (404). `openapi/operation.ts` derives the errors from the
 * schemas.
 * @param maxBytes the limit of the body
 */
export function input({ headers, body, query, params }: RequestSchemas, maxBytes?: number) {
  const readBody = body && bodyReader(body, maxBytes);
  return middleware<PublicCall & Input>([], async function input(c, next) {
    const call = c.get('call');
    if (headers) call.headers = readHeaders(c, headers);
    if (readBody) call.body = await readBody(c);
    if (query) call.query = readQuery(c, query);
    if (params) call.params = readParams(c, params);
    await next();
  });
}

type Input = { [K in keyof RequestSchemas]: unknown };
