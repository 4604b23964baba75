import { eq, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { savedViewFields, toResource } from '../../db/resources.ts';
import { ApiError } from '../../lib/errors.ts';
import { personOrg } from '../../lib/http/access.ts';
import { created } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { optional, z } from '../../lib/schema.ts';
import { MAX_VIEWS, requireSharing, View, viewShape } from '../../lib/views/views.ts';
import { viewQuery } from './query.ts';

export const createView = endpoint(
  {
    method: 'post',
    path: '/views',
    access: personOrg('viewer', 'any member'),
    audit: 'view.created',
    tag: 'Saved views',
    summary: 'Save a view',
    description: `A member has at most ${MAX_VIEWS} views (409 \`conflict\`). Sharing needs the role \`member\`.`,
    request: {
      body: z.object({ ...viewShape, query: viewQuery(), shared: optional(viewShape.shared) }),
    },
    responses: { 201: { description: 'The view.', result: View } },
    errors: ['permission_error/denied', 'resource_error/conflict'],
  },
  async (call) => {
    const { body, org, role, services, user } = call;
    requireSharing(role, body.shared);
    const { savedViews: v } = org.tables;
    const [view] = await call.audited(
      (inside) => inOrgQuota(inside, (tx) => insert(tx)),
      ([made]) =>
        made && {
          target: { type: 'view', id: made.id, name: made.name },
          changes: newValues({ shared: made.shared }),
        },
    );
    async function insert(tx: Tx) {
      const [row] = await tx
        .select({ count: sql<number>`count(*)::int` })
        .from(v)
        .where(eq(v.ownerId, user.id));
      if (row && row.count >= MAX_VIEWS) {
        const message = `A member can have at most ${MAX_VIEWS} views.`;
        throw new ApiError('resource_error/conflict', { message });
      }
      const { id, at: createdAt } = services.nextId();
      return await tx
        .insert(v)
        .values({ id, createdAt, ownerId: user.id, ...body, shared: body.shared ?? false })
        .returning(savedViewFields(org.tables));
    }
    if (!view) throw new Error('the view was not inserted');
    return created(toResource(view));
  },
);
