import { hasTables } from '../../../../db/orgs/tables.ts';
import { ApiError } from '../../../errors.ts';
import { isNarrower, type Reaching } from '../../../projects/reach.ts';
import type { InOrgCall } from '../../call.ts';
import { announcedLength } from '../../request/body-stream.ts';
import { hasNoBody } from '../../request/input.ts';
import { type AnyMiddleware, middleware } from '../middleware.ts';

/**
 * Enters the organization's gate (429 when that takes too long) and limits the call's queries to its share of the
 * connections. Runs after the access checks, so that callers without access cannot use up the share.
 * @param checks the access checks. They run again if the request waited at the gate, because the token, session or role may
 * have been revoked meanwhile, and while a body is sent
 */
export const fairShare = (checks: readonly AnyMiddleware[]) =>
  middleware<InOrgCall & Reaching>(['rate_limit_error/exceeded'], async function fairShare(c, next) {
    const call = c.get('call');
    const { services, org } = call;
    const { db, sql } = services.database.of(org);
    call.db = db;
    call.sql = sql;
    const bodyBytes = hasNoBody(c) ? 0 : (announcedLength(c) ?? Number.POSITIVE_INFINITY);
    const entered = services.gate.tryEnter(org, bodyBytes);
    const hasToWait = entered === undefined;
    const check = async () => {
      for (const one of checks) await one(c, async () => {});
    };
    call.leaveGate = entered ?? (await services.gate.enter(org, { bodyBytes, signal: c.req.raw.signal }));
    try {
      // Its tables may have been created meanwhile, with the flag `require_mfa`.
      if (hasToWait && !hasTables(org)) call.namedOrg = undefined;
      if (hasToWait) await check();
      const { reach } = call;
      call.recheck = async () => {
        await check();
        // The body has rows of all projects that the caller reached when it began.
        if (isNarrower(reach, call.reach)) throw new ApiError('permission_error/denied');
      };
      await next();
    } finally {
      call.leaveGate();
    }
  });
