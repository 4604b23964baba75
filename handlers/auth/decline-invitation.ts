import { hasTables } from '../../db/orgs/tables.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { tokensRevoked } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { mailedToken } from '../../lib/http/fields.ts';
import { mailsOfRequest } from '../../lib/http/mails.ts';
import { logEndedTokens, logSecurityEvent } from '../../lib/http/security-log.ts';
import { declineInvitation as decline } from '../../lib/members/declining.ts';
import { shown, z } from '../../lib/schema.ts';

const DeclinedInvitation = z
  .object({ organization: z.object({ name: shown('Acme'), slug: shown('acme') }) })
  .openapi('DeclinedInvitation');

export const declineInvitation = endpoint(
  {
    method: 'post',
    path: '/auth/decline-invitation',
    access: baseDomainOnly,
    audit: 'member.invitation_declined',
    tag: 'Auth',
    summary: 'Decline an invitation by a mailed link',
    description:
      'Needs no account. The membership ends, and the organization cannot invite the address again for 30 days. The link works once, for 30 days. 409 `conflict` once the person has accepted, by verifying the address or using the organization.',
    request: { body: z.object({ token: mailedToken() }) },
    responses: { 200: { description: 'Declined.', result: DeclinedInvitation } },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, now, peer, services } = call;
    await services.limits.count('client', peer.ip);
    const actor = { now, writeMail: mailsOfRequest(call) };
    const context = { config: services.config, directory: services.orgs };
    const { org, userId, tokens } = await call.audited(
      ({ db }) => decline({ ...context, db }, { token: body.token, actor }),
      (declined) =>
        hasTables(declined.inOrg)
          ? {
              org: declined.inOrg,
              actor: { type: 'user', id: declined.userId, name: declined.userName },
              target: { type: 'member', id: declined.userId, name: declined.address },
              changes: { role: { from: declined.role }, ...tokensRevoked(declined.tokens) },
            }
          : undefined,
    );
    services.mail.kick();
    logSecurityEvent(call, 'invitation_declined', { org: org.slug, member: userId });
    logEndedTokens(call, userId, tokens);
    return ok({ organization: { name: org.name, slug: org.slug } });
  },
);
