import { hasTables } from '../../../../db/orgs/tables.ts';
import type { InOrgCall } from '../../call.ts';
import { announcedLength } from '../../request/body-stream.ts';
import { hasNoBody } from '../../request/input.ts';
import { type AnyMiddleware, middleware } from '../middleware.ts';

/**
 * Enters the organization's gate (429 when that takes too long) and limits the call's queries to its share of the
 * connections. Runs after the access checks, so that callers without access cannot use up the share.
 * @param checks the access checks. They run again if the request waited at the gate, because the token, session or role may
 * have been revoked meanwhile
 */
export const fairShare = (checks: readonly AnyMiddleware[]) =>
  middleware<InOrgCall>(['rate_limit_error/exceeded'], async function fairShare(c, next) {
    const call = c.get('call');
    const { services, org } = call;
    const { db, sql } = services.database.of(org);
    call.db = db;
    call.sql = sql;
    const bodyBytes = hasNoBody(c) ? 0 : (announcedLength(c) ?? Number.POSITIVE_INFINITY);
    const entered = services.gate.tryEnter(org, bodyBytes);
    const hasToWait = entered === undefined;
    call.recheck = async () => {
      for (const check of checks) await check(c, async () => {});
    };
    call.leaveGate = entered ?? (await services.gate.enter(org, { bodyBytes, signal: c.req.raw.signal }));
    try {
      // Its tables may have been created meanwhile, with the flag `require_mfa`.
      if (hasToWait && !hasTables(org)) call.namedOrg = undefined;
      if (hasToWait) await call.recheck();
      await next();
    } finally {
      call.leaveGate();
    }
  });
