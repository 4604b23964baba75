import { hasTables } from '../../db/orgs/tables.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { newValues } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { mailedToken } from '../../lib/http/fields.ts';
import { mailsOfRequest } from '../../lib/http/mails.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { UNDOABLE, undoOrgChange as undo } from '../../lib/orgs/undo.ts';
import { shown, z } from '../../lib/schema.ts';

const UndoneOrgChange = z
  .object({
    undone: z.array(z.enum(UNDOABLE)).openapi({
      description:
        '`ownership`: the user who got the mail is an owner again. `deletion`: the organization is restored.',
      example: ['ownership'],
    }),
    organization: z.object({ name: shown('Acme'), slug: shown('acme') }),
  })
  .openapi('UndoneOrgChange');

export const undoOrgChange = endpoint(
  {
    method: 'post',
    path: '/auth/undo-org-change',
    access: baseDomainOnly,
    audit: 'organization.undone',
    tag: 'Auth',
    summary: 'Undo the loss of an ownership and the deletion of an organization',
    description:
      'By the link that was mailed to an owner who was removed, left or got another role, or whose organization was deleted; it works once, for 72 hours. The user is an owner again, and the organization is restored if it is deleted. All owners get a mail. Private views of a removed owner stay deleted. 409 `conflict`, and the link still works, when there is nothing to undo, or the organization is being removed for good.',
    request: { body: z.object({ token: mailedToken() }) },
    responses: { 200: { description: 'Undone.', result: UndoneOrgChange } },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, now, peer, services } = call;
    await services.limits.count('client', peer.ip);
    const actor = { now, writeMail: mailsOfRequest(call) };
    const { undone, access, org, userId } = await call.audited(
      (inside) => undo(inside.db, services.orgs, { token: body.token, actor }),
      (done) =>
        hasTables(done.inOrg)
          ? {
              org: done.inOrg,
              actor: { type: 'user', id: done.userId, name: done.userName },
              target: { type: 'organization', id: done.org.id, name: done.org.slug },
              changes: {
                ...newValues({ undone: done.undone }),
                ...(done.access && { project_access: done.access }),
              },
            }
          : undefined,
    );
    const { id, slug, name } = org;
    services.orgs.forget(id);
    services.mail.kick();
    const events = { ownership: 'ownership_restored', deletion: 'org_restored' } as const;
    for (const one of undone)
      logSecurityEvent(call, events[one], { org: slug, account: userId, by: 'mailed link' });
    if (access) logSecurityEvent(call, 'project_access_changed', { org: slug, member: userId, ...access });
    return ok({ undone, organization: { name, slug } });
  },
);
