import { refusesWrites } from '../../../../db/errors.ts';
import type { Role } from '../../../../db/schema/orgs.ts';
import { ApiError, type ErrorKey } from '../../../errors.ts';
import type { FoundPersonalToken } from '../../../tokens/personal-tokens.ts';
import { requireScope } from '../../../tokens/scopes.ts';
import type { MemberCall, UserCall } from '../../call.ts';
import { logSecurityEvent } from '../../security-log.ts';
import { middleware } from '../middleware.ts';
import { dueBefore, recordVisit } from './activity.ts';
import { resolveOrg } from './organization.ts';

const ERRORS: readonly ErrorKey[] = ['token_error/invalid', 'token_error/expired'];

/** A call with a personal access token, as sent. */
type WithBearer<C extends UserCall> = C & { bearer: string };

/** Requires a valid personal access token (401). */
export const personalToken = middleware<WithBearer<UserCall>>(ERRORS, async function personalToken(c, next) {
  const call = c.get('call');
  begin(call, await call.services.personalTokens.check(call.bearer));
  await next();
});

/**
 * Requires a valid personal access token (401). One statement reads the token, its owner, the membership and the
 * organization's `require_mfa`, as for sessions.
 */
export const memberToken = middleware<WithBearer<MemberCall>>(ERRORS, async function memberToken(c, next) {
  const call = c.get('call');
  const { personalTokens } = call.services;
  const org = await resolveOrg(call).catch(() => undefined);
  const found = await (org ? personalTokens.checkInOrg(org, call.bearer) : personalTokens.check(call.bearer));
  begin(call, found);
  call.membership = found.membership;
  // Denials are logged with the organization.
  if (org) c.get('request').org = org.slug;
  await next();
});

function begin(call: UserCall, { token, user }: FoundPersonalToken): void {
  const request = call.c.get('request');
  request.user = user.id;
  request.token = token.id;
  call.user = user;
  call.personalToken = token;
}

/** Requires a token that is valid in this organization (403). */
export const tokenOrganization = middleware<MemberCall>(
  ['token_error/scope_mismatch'],
  function tokenOrganization(c, next) {
    const { org, personalToken } = c.get('call');
    if (personalToken?.orgId && personalToken.orgId !== org.id)
      throw new ApiError('token_error/scope_mismatch', {
        message: 'The token is limited to another organization.',
      });
    return next();
  },
);

/** Requires that the token's scopes cover a role (403). From here on the call's role is at most that of the scopes. */
export const personalScope = (needed: Role) =>
  middleware<MemberCall>(['token_error/scope_mismatch'], function personalScope(c, next) {
    const call = c.get('call');
    call.role = requireScope(call.personalToken?.scopes ?? [], needed, call.role);
    return next();
  });

/** Records when the token was last used. */
export const personalUse = middleware<UserCall>([], async function personalUse(c, next) {
  await recordUse(c.get('call'));
  await next();
});

/** Records when the token was last used, and that the member uses the organization. */
export const memberTokenUse = middleware<MemberCall>([], async function memberTokenUse(c, next) {
  const call = c.get('call');
  await Promise.all([recordUse(call), ...recordVisit(call)]);
  await next();
});

/** Sets `last_used`, at most once a minute. The request succeeds even if the database is read-only. */
async function recordUse(call: UserCall): Promise<void> {
  const { log, now, personalToken: token, services } = call;
  const before = dueBefore(now);
  if (!token || (token.lastUsed && token.lastUsed > before)) return;
  const isFirst = token.lastUsed === null;
  const touched = await services.personalTokens.touch(token.id, now, before).catch((error) => {
    if (!refusesWrites(error)) throw error;
    log.debug('last_used was not set', { error });
    return false;
  });
  if (isFirst && touched) logSecurityEvent(call, 'token_first_used');
}
