import { isUniqueViolation } from '../../../db/errors.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { mailControl } from '../../../lib/orgs/notices.ts';
import { OutboundError } from '../../../lib/outbound/error.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';
import { Domain, proveDomain, recordName, requireDomain, toDomain } from '../../../lib/sso/domains.ts';
import { requireOwner } from '../../../lib/sso/membership.ts';

const inUse = (cause: unknown) =>
  new ApiError('resource_error/conflict', {
    message: 'Another organization has just proven this domain.',
    cause,
  });

export const verifyOrgDomain = endpoint(
  {
    method: 'post',
    path: '/settings/domains/{id}/verify',
    access: freshCookieOrg('owner', 'none'),
    audit: 'domain.verified',
    tag: 'Single sign-on',
    summary: 'Prove a domain',
    description:
      'Looks for the TXT record. Afterwards connections of the organization that name the domain sign in people by their address, and connect existing accounts with an address of the domain. A domain is proven by one organization: another one that proves it gets it once the record of the first is gone. All owners get a mail.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The domain.', result: Domain } },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { db, now, org, params, services, user } = call;
    const actor = call.freshActor();
    await services.limits.count('client', call.peer.ip);
    const named = await requireDomain(db, org.id, params.id);
    // The answer of a DNS server may take seconds, which no transaction waits for.
    const records = await services.outbound.resolveTxt(recordName(named.domain)).catch((error) => {
      if (error instanceof OutboundError)
        throw new ApiError('resource_error/conflict', { message: error.message, cause: error });
      throw error;
    });
    const proven = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx) => {
          await requireOwner(tx, org.id, user.id);
          const row = await requireDomain(tx, org.id, params.id);
          const { proven: after, lostBy } = await proveDomain(tx, row, records, now);
          if (!row.verifiedAt)
            await mailControl(tx, actor, org.id, 'domain_verified', [['Domain', after.domain]]);
          // Its owners do not learn which organization has it now.
          if (lostBy) {
            const { writeMail } = actor;
            await mailControl(tx, { now, writeMail }, lostBy, 'domain_lost', [['Domain', after.domain]]);
          }
          return after;
        }).catch((error) => {
          throw isUniqueViolation(error) ? inUse(error) : error;
        }),
      ({ id, domain }) => ({ target: { type: 'domain', id, name: domain } }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'domain_verified', { domain: proven.domain });
    return ok(toDomain(proven));
  },
);
