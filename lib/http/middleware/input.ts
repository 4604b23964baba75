import { networkOf } from '../../network.ts';
import type { InOrgCall, PublicCall } from '../call.ts';
import { NO_BODY, type Share } from '../request/held-body.ts';
import { bodyReader, type RequestSchemas, readHeaders, readParams } from '../request/input.ts';
import { queryReader, type UnknownParameters } from '../request/query.ts';
import { middleware } from './middleware.ts';

/**
 * Reads and validates headers, query and body (400), then the path (404). `openapi/operation.ts` derives the errors from the
 * schemas.
 */
export function input({ headers, body, query, params }: RequestSchemas, options: InputOptions) {
  const { maxBytes, unknownParameters } = options;
  const readQuery = queryReader(query, unknownParameters);
  const readBody = body && bodyReader(body, maxBytes);
  return middleware<PublicCall & Input>([], async function input(c, next) {
    const call = c.get('call');
    if (headers) call.headers = readHeaders(c, headers);
    call.query = readQuery(c);
    let free = NO_BODY.free;
    if (readBody) {
      const body = await readBody(c, () => shareOf(call));
      call.body = body.value;
      if (maxBytes === undefined) body.free();
      else {
        call.bodyBytes = body.bytes;
        free = body.free;
      }
    }
    try {
      if (params) call.params = readParams(c, params);
      await next();
    } finally {
      free();
    }
  });
}

interface InputOptions {
  /** The limit of a body that may be large: its bytes are kept, and count, until the request is answered. */
  maxBytes: number | undefined;
  unknownParameters: UnknownParameters;
}

/**
 * Requests outside organizations have a budget of their own: their senders may be strangers. The clients of an IPv6 /48, which some
 * customers of providers have, share that of one.
 */
export function shareOf(call: PublicCall): Share {
  const { peer, services } = call;
  const { org } = call as Partial<InOrgCall>;
  return org
    ? { budget: services.bodies?.ofOrgs, sharer: org }
    : {
        budget: services.bodies?.ofClients,
        sharer: { id: networkOf(peer.ip), account: networkOf(peer.ip, 48) },
      };
}

type Input = { [K in keyof RequestSchemas]: unknown };
