import { and, eq, lte, ne } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { memberships, orgs } from '../../../db/schema/orgs.ts';
import { personalTokens as t } from '../../../db/schema/personal-tokens.ts';
import { lockAccount } from '../../../lib/accounts/accounts.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { created } from '../../../lib/http/answer.ts';
import type { CookieCall, FreshCall } from '../../../lib/http/call.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { mailChange } from '../../../lib/http/mails.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { withoutPhone } from '../../../lib/mail/templates/letter.ts';
import { controlledBy, MOST_ORGS } from '../../../lib/members/control.ts';
import { listOrgsOf } from '../../../lib/orgs/list.ts';
import { isOwner, mailControl } from '../../../lib/orgs/notices.ts';
import { requireRoom } from '../../../lib/quotas.ts';
import type { z } from '../../../lib/schema.ts';
import { generateToken } from '../../../lib/tokens/format.ts';
import {
  CreatedPersonalToken,
  PersonalTokenInput,
  personalTokenFields,
  toPersonalToken,
} from '../../../lib/tokens/personal.ts';
import { scopesText } from '../../../lib/tokens/scopes.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const createPersonalToken = endpoint(
  {
    method: 'post',
    path: '/profile/tokens',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: access tokens',
    summary: 'Create a personal access token',
    description:
      'For scripts that act as you. In each organization the token may do what its scopes and your role there allow, and nothing after you leave. The full token is returned only here, and you are told about it by mail. With the scope `admin`, the other owners of organizations where you are an admin or owner are told too; if these are more than 10, `org_id` is required. Tokens that have expired are removed. Answers 409 `conflict` when the account has reached its limit.',
    request: { body: PersonalTokenInput },
    responses: { 201: { description: 'The token and its metadata.', result: CreatedPersonalToken } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, db, now, services, user } = call;
    const { name, scopes, expires_in, org_id } = body;
    if (org_id !== undefined) await requireMembership(call, org_id);
    const { token, prefix, hash } = generateToken('personal');
    const { id, at } = services.nextId();
    const expiresAt = new Date(at.getTime() + expires_in * DAY_MS);
    const row = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      await tx.delete(t).where(and(eq(t.userId, user.id), lte(t.expiresAt, now)));
      await requireRoom(tx, services.config, 'personalTokensPerAccount', t, eq(t.userId, user.id));
      const values = { id, userId: user.id, orgId: org_id ?? null, name, prefix, tokenHash: hash };
      // Where an organization requires single sign-on, a token is worth as much as the session that made it.
      const { ssoConnectionId } = call.session;
      const [inserted] = await tx
        .insert(t)
        .values({ ...values, ssoConnectionId, scopes: scopesText(scopes), createdAt: at, expiresAt })
        .returning(personalTokenFields);
      await mailChange(tx, call, 'personal_token_created', { token: `${name} (${scopes.join(', ')})` });
      if (scopes.includes('admin')) await mailOwnersOf(tx, call, body);
      return inserted;
    });
    if (!row) throw new ApiError('server_error/internal');
    services.mail.kick();
    logSecurityEvent(call, 'token_created', {
      token: id,
      token_name: name,
      personal: true,
      scopes: scopes.join(),
      only_org: org_id,
      expires_at: expiresAt.toISOString(),
    });
    return created({ token, info: toPersonalToken(row) });
  },
);

/** Tells the other owners of the organizations that the user controls, because the token can do what the user can do there. */
async function mailOwnersOf(
  tx: Tx,
  call: CookieCall & FreshCall,
  { name, scopes, org_id }: z.output<typeof PersonalTokenInput>,
): Promise<void> {
  const facts: [string, string][] = [
    ['Personal access token', withoutPhone(name)],
    ['Scopes', scopes.join(', ')],
  ];
  const others = and(isOwner, ne(memberships.userId, call.user.id));
  const controlled = await controlledBy(tx, call.user.id, { orgId: org_id, most: MOST_ORGS + 1 });
  if (controlled.length > MOST_ORGS)
    throw new ApiError('validation_error/field_invalid', {
      details: [
        {
          field: 'org_id',
          message: `is required with the scope admin, because you are an admin or owner of more than ${MOST_ORGS} organizations`,
        },
      ],
    });
  for (const { orgId } of controlled)
    await mailControl(tx, call.freshActor(), orgId, 'personal_token_created', facts, others);
}

async function requireMembership(call: CookieCall, orgId: string): Promise<void> {
  const [found] = await listOrgsOf(call, call.services, { where: eq(orgs.id, orgId) });
  if (!found)
    throw new ApiError('validation_error/field_invalid', {
      details: [{ field: 'org_id', message: 'is not one of your organizations' }],
    });
}
