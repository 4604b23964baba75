import { eq } from 'drizzle-orm';
import { orgDomains as t } from '../../../db/schema/orgs.ts';
import { freshCookieOrg } from '../../../lib/http/access.ts';
import { noContent } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { mailControl } from '../../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../../lib/quotas.ts';
import { z } from '../../../lib/schema.ts';
import { requireDomain } from '../../../lib/sso/domains.ts';
import { requireOwner } from '../../../lib/sso/membership.ts';

export const deleteOrgDomain = endpoint(
  {
    method: 'delete',
    path: '/settings/domains/{id}',
    access: freshCookieOrg('owner', 'none'),
    audit: 'domain.removed',
    tag: 'Single sign-on',
    summary: 'Remove a domain from the organization',
    description: 'Accounts that were connected by it stay connected. All owners get a mail if it was proven.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Removed.' } },
  },
  async (call) => {
    const { org, params, services, user } = call;
    const actor = call.freshActor();
    await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx) => {
          await requireOwner(tx, org.id, user.id);
          const row = await requireDomain(tx, org.id, params.id);
          await tx.delete(t).where(eq(t.id, row.id));
          if (row.verifiedAt)
            await mailControl(tx, actor, org.id, 'domain_removed', [['Domain', row.domain]]);
          return row;
        }),
      ({ id, domain }) => ({ target: { type: 'domain', id, name: domain } }),
    );
    services.mail.kick();
    return noContent();
  },
);
