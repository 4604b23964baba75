import { and, eq, isNull } from 'drizzle-orm';
import { bumpVersion } from '../../db/policies/version.ts';
import { ApiError } from '../../lib/errors.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { noContent } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { z } from '../../lib/schema.ts';

export const deleteRule = endpoint(
  {
    method: 'delete',
    path: '/rules/{id}',
    access: cookieOrg('admin', 'none'),
    audit: 'rule.deleted',
    tag: 'Rules',
    summary: 'Delete a rule',
    description:
      'Findings that the rule has changed stay as they are, and their activity still shows its name. A deleted rule cannot be undone: undo it first.',
    request: { params: z.object({ id: idParam() }) },
    responses: { 204: { description: 'Deleted.' } },
  },
  async (call) => {
    const { now, org, params } = call;
    const { rules: r } = org.tables;
    const rule = await call.audited(
      (inside) =>
        inside.db.transaction(async (tx) => {
          const [deleted] = await tx
            .update(r)
            .set({ deletedAt: now, enabled: false })
            .where(and(eq(r.id, params.id), isNull(r.deletedAt)))
            .returning({ id: r.id, name: r.name });
          if (deleted) await bumpVersion(tx, org.tables);
          return deleted;
        }),
      (deleted) => deleted && { target: { type: 'rule', ...deleted } },
    );
    if (!rule) throw new ApiError('resource_error/not_found');
    logSecurityEvent(call, 'org_setting_changed', { setting: 'rule', rule: rule.id, to: 'deleted' });
    return noContent();
  },
);
