import { eq } from 'drizzle-orm';
import { orgs, PLANS } from '../../db/schema/orgs.ts';
import { lockUser } from '../../lib/accounts/accounts.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookie } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { name, orgSlug } from '../../lib/http/fields.ts';
import { insertOrg, withFreeSlug } from '../../lib/orgs/create.ts';
import { isReservedSlug, orgSlugCandidates } from '../../lib/orgs/slugs.ts';
import { requireRoom } from '../../lib/quotas.ts';
import { Organization } from '../../lib/resources.ts';
import { optional, z } from '../../lib/schema.ts';

export const createOrg = endpoint(
  {
    method: 'post',
    path: '/orgs',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Organizations',
    summary: 'Create an organization',
    description:
      'The caller becomes its owner. Without `slug`, the service derives one from the name; without `plan`, the plan is `free`. Answers 409 `conflict` when the account has reached its limit of created organizations, including those that others own now.',
    request: {
      body: z.object({ name: name('Acme'), slug: optional(orgSlug()), plan: optional(z.enum(PLANS)) }),
    },
    responses: { 201: { description: 'The organization.', result: Organization } },
    errors: ['tenant_error/slug_reserved', 'tenant_error/slug_taken', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, db, services, user } = call;
    if (body.slug !== undefined && isReservedSlug(body.slug))
      throw new ApiError('tenant_error/slug_reserved');
    const candidates = body.slug === undefined ? orgSlugCandidates(body.name) : [body.slug];
    const { id, at: createdAt } = services.nextId();
    const org = { id, name: body.name, plan: body.plan ?? ('free' as const), ownerId: user.id, createdAt };
    // The creator counts, not the current owner: handing an organization over makes no room for another one.
    const mine = eq(orgs.createdBy, user.id);
    const made = await withFreeSlug(db, { orgId: id, candidates }, async (tx, slug) => {
      // Locked before the insert refers to the user: deleting the account at the same time would end in a deadlock.
      await lockUser(tx, user.id);
      await requireRoom(tx, services.config, 'orgsPerAccount', orgs, mine);
      return await insertOrg(tx, { ...org, slug }, services);
    });
    return created({ ...made, role: 'owner' as const });
  },
);
