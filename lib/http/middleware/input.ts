import type { InOrgCall, PublicCall } from '../call.ts';
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
    const free = await readBodyOf(call);
    try {
      if (query) call.query = readQuery(c, query);
      if (params) call.params = readParams(c, params);
      await next();
    } finally {
      free();
    }
  });

  /** @returns a function that frees the memory of the body */
  async function readBodyOf(call: PublicCall & Input): Promise<() => void> {
    if (!readBody) return () => {};
    const { services, peer } = call;
    const org = 'org' in call ? (call as PublicCall & Input & InOrgCall).org : undefined;
    const body = await readBody(call.c, { budget: services.bodies, key: org?.id ?? peer.ip });
    call.body = body.value;
    call.bodyBytes = body.bytes;
    if (org) return body.free;
    // Strangers keep no memory from organizations while they wait for something else.
    body.free();
    return () => {};
  }
}

type Input = { [K in keyof RequestSchemas]: unknown };
