import { and, eq } from 'drizzle-orm';
import { cookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { z } from '../../lib/schema.ts';
import { isChangeable, unchangeable } from '../../lib/views/views.ts';

export const deleteView = endpoint(
  {
    method: 'delete',
    path: '/views/{id}',
    access: cookieOrg('viewer', 'any member'),
    audit: 'view.deleted',
    tag: 'Saved views',
    summary: 'Delete a saved view',
    description: 'Only the owner may, and admins if the view is shared.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Deleted.' } },
    errors: ['permission_error/denied'],
  },
  async (call) => {
    const { org, params } = call;
    const { savedViews: v } = org.tables;
    const deleted = await call.audited(
      (inside) =>
        inside.db
          .delete(v)
          .where(and(eq(v.id, params.id), isChangeable(call, org.tables, false)))
          .returning({ id: v.id, name: v.name }),
      ([view]) => view && { target: { type: 'view', ...view } },
    );
    if (deleted.length === 0) throw await unchangeable(call, params.id);
    return noContent();
  },
);
