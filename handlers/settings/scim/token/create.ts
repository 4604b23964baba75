import { eq } from 'drizzle-orm';
import { scimTokens as t } from '../../../../db/schema/scim.ts';
import { freshCookieOrg } from '../../../../lib/http/access.ts';
import { created } from '../../../../lib/http/answer.ts';
import { newValues } from '../../../../lib/http/audit.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { logSecurityEvent } from '../../../../lib/http/security-log.ts';
import { mailControl } from '../../../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../../../lib/quotas.ts';
import { shown, z } from '../../../../lib/schema.ts';
import { ScimToken, toScimToken } from '../../../../lib/scim/tokens.ts';
import { requireOwner } from '../../../../lib/sso/membership.ts';
import { generateToken } from '../../../../lib/tokens/format.ts';

export const createScimToken = endpoint(
  {
    method: 'post',
    path: '/settings/scim/token',
    access: freshCookieOrg('owner', 'none'),
    audit: 'scim_token.created',
    tag: 'Provisioning',
    summary: 'Create the token for provisioning',
    description:
      'An identity provider that has it adds, changes, deactivates and removes members of this organization by SCIM 2.0. It is returned only here, does not expire, and replaces an earlier one at once. All owners get a mail.',
    responses: {
      201: {
        description: 'The token and its metadata.',
        result: z.object({ token: shown('scim_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b'), info: ScimToken }),
      },
    },
  },
  async (call) => {
    const { org, services, user } = call;
    const actor = call.freshActor();
    const { token, prefix, hash } = generateToken('scim');
    const { id, at: createdAt } = services.nextId();
    const values = { id, prefix, tokenHash: hash, createdBy: user.id, createdAt, lastUsed: null };
    const { isReplaced, row } = await call.audited(
      (inside) =>
        inOrgQuota(inside, async (tx) => {
          await requireOwner(tx, org.id, user.id);
          const replaced = await tx.delete(t).where(eq(t.orgId, org.id)).returning({ id: t.id });
          const [row] = await tx
            .insert(t)
            .values({ orgId: org.id, ...values })
            .returning();
          if (!row) throw new Error('the token was not inserted');
          await mailControl(tx, actor, org.id, 'scim_token_created', [['Token', `${prefix}…`]]);
          return { row, isReplaced: replaced.length > 0 };
        }),
      (made) => ({
        target: { type: 'token', id, name: prefix },
        changes: newValues({ replaces_another: made.isReplaced || undefined }),
      }),
    );
    services.mail.kick();
    logSecurityEvent(call, 'token_created', { token: id, scim: true, replaces: isReplaced });
    return created({ token, info: toScimToken(row) });
  },
);
