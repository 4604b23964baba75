import { eq } from 'drizzle-orm';
import { isUniqueViolation } from '../../../db/errors.ts';
import { orgDomains as t } from '../../../db/schema/orgs.ts';
import { randomHex } from '../../../lib/crypto/random.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';
import { domainName } from '../../../lib/sso/connection-fields.ts';
import { Domain, MAX_DOMAINS, toDomain } from '../../../lib/sso/domains.ts';
import { requireOwner } from '../../../lib/sso/membership.ts';

export const createOrgDomain = endpoint(
  {
    method: 'post',
    path: '/settings/domains',
    access: freshCookieOrg('owner', 'none'),
    audit: 'domain.added',
    tag: 'Single sign-on',
    summary: 'Add a domain to the organization',
    description: `It has no effect before it is proven: create the TXT record of the answer, then call \`POST /settings/domains/{id}/verify\`. An organization has at most ${MAX_DOMAINS} domains (409 \`conflict\`).`,
    request: { body: z.object({ domain: domainName() }) },
    responses: { 201: { description: 'The domain.', result: Domain } },
    errors: ['resource_error/already_exists', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, org, services, user } = call;
    const { id, at: createdAt } = services.nextId();
    const row = await call
      .audited(
        (inside) =>
          inOrgQuota(inside, async (tx) => {
            await requireOwner(tx, org.id, user.id);
            if ((await tx.$count(t, eq(t.orgId, org.id))) >= MAX_DOMAINS)
              throw new ApiError('resource_error/conflict', {
                message: `An organization can have at most ${MAX_DOMAINS} domains. Remove one first.`,
              });
            const values = { id, orgId: org.id, domain: body.domain, token: randomHex(16), createdAt };
            const [inserted] = await tx.insert(t).values(values).returning();
            return inserted;
          }),
        () => ({ target: { type: 'domain', id, name: body.domain } }),
      )
      .catch((error) => {
        if (isUniqueViolation(error)) throw new ApiError('resource_error/already_exists');
        throw error;
      });
    if (!row) throw new Error('the domain was not inserted');
    return created(toDomain(row));
  },
);
