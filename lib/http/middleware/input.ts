import type { PublicCall } from '../call.ts';
import { type RequestSchemas, readBody, readParams, readQuery } from '../request/input.ts';
import { middleware } from './middleware.ts';

/** Reads and validates the body and the query (400), then the path (404). `openapi/operation.ts` derives the errors from the schemas. */
export const input = ({ body, query, params }: RequestSchemas) =>
  middleware<PublicCall & Input>([], async function input(c, next) {
    const call = c.get('call');
    if (body) call.body = await readBody(c, body);
    if (query) call.query = readQuery(c, query);
    if (params) call.params = readParams(c, params);
    await next();
  });

type Input = { [K in keyof RequestSchemas]: unknown };
