import type { InOrgCall } from '../call.ts';
import { type AnyMiddleware, middleware } from './middleware.ts';

/**
 * Takes a place in the organization's fair share (429), and the call's queries out of its share of the connections. It runs
 * after the access checks, so that callers without access cannot use up the share.
 * @param checks the access checks; they run again when the caller had to wait for a place, because the token, session or
 * role may have been revoked meanwhile
 */
export const fairShare = (checks: readonly AnyMiddleware[]) =>
  middleware<InOrgCall>(['rate_limit_error/exceeded'], async function fairShare(c, next) {
    const call = c.get('call');
    const { services, org } = call;
    const { db, sql } = services.database.of(org);
    call.db = db;
    call.sql = sql;
    const place = services.gate.enter(org.id);
    const waited = typeof place !== 'function';
    call.stepAside = waited ? await place : place;
    try {
      if (waited) for (const check of checks) await check(c, async () => {});
      await next();
    } finally {
      call.stepAside();
    }
  });
