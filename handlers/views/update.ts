import { and, eq } from 'drizzle-orm';
import { savedViewFields, toResource } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { optional, z } from '../../lib/schema.ts';
import { isChangeable, requireSharing, unchangeable, View, viewShape } from '../../lib/views/views.ts';
import { viewQuery } from './query.ts';

const ViewChanges = z
  .object({
    name: optional(viewShape.name),
    query: optional(viewQuery()),
    shared: optional(viewShape.shared),
  })
  .superRefine((change, context) => {
    if (Object.values(change).every((value) => value === undefined))
      context.addIssue({ code: 'custom', path: ['name'], message: 'is required' });
  })
  .openapi('ViewChanges', { example: { name: 'Critical and unassigned' } });

export const updateView = endpoint(
  {
    method: 'patch',
    path: '/views/{id}',
    access: cookieOrg('viewer', 'any member'),
    audit: 'view.changed',
    tag: 'Saved views',
    summary: 'Change a saved view',
    description:
      'Only the owner may, and admins if the view is shared. A viewer cannot change a shared view, except to make it private.',
    request: { params: z.object({ id: idParam() }), body: ViewChanges },
    responses: { 200: { description: 'The view after the change.', result: View } },
    errors: ['permission_error/denied'],
  },
  async (call) => {
    const { body, org, params, role } = call;
    requireSharing(role, body.shared);
    const { savedViews: v } = org.tables;
    const [view] = await call.audited(
      (inside) =>
        inside.db
          .update(v)
          .set(body)
          .where(and(eq(v.id, params.id), isChangeable(call, org.tables, body.shared)))
          .returning(savedViewFields(org.tables)),
      ([changed]) =>
        changed && { target: { type: 'view', id: changed.id, name: changed.name }, changes: newValues(body) },
    );
    if (!view) throw await unchangeable(call, params.id);
    return ok(toResource(view));
  },
);
