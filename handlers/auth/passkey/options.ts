import { readMfaToken, requireMfaLogin } from '../../../lib/accounts/mfa/logins.ts';
import { credentialsOf } from '../../../lib/accounts/passkeys/passkeys.ts';
import { RequestOptions, requestOptions } from '../../../lib/accounts/passkeys/webauthn.ts';
import { ApiError } from '../../../lib/errors.ts';
import { baseDomainOnly } from '../../../lib/http/access.ts';
import { usablePasskeySite } from '../../../lib/http/accounts/passkeys.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { mfaToken } from '../../../lib/http/fields.ts';
import { optional, z } from '../../../lib/schema.ts';

export const passkeyOptions = endpoint(
  {
    method: 'post',
    path: '/auth/passkey/options',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Get the options for a sign-in with a passkey',
    description:
      'For `navigator.credentials.get()`. With an `mfa_token`, for the second factor of that login: lists the passkeys of the account. Without one, for a sign-in without a password: the user chooses the account, so the answer is the same for everybody.',
    request: { body: z.object({ mfa_token: optional(mfaToken()) }) },
    responses: {
      200: { description: 'The options.', result: z.object({ options: RequestOptions }) },
    },
    errors: ['auth_error/mfa_invalid_code', 'resource_error/conflict', 'resource_error/not_found'],
  },
  async (call) => {
    const { body, db, now, services } = call;
    const { passkeyChallenges, signedTokens } = services;
    const site = usablePasskeySite(call);
    if (body.mfa_token === undefined)
      return ok({ options: requestOptions(site, passkeyChallenges.issue('sign-in', now), 'required') });
    const claims = await readMfaToken(signedTokens, body.mfa_token, now);
    await requireMfaLogin(db, claims, now);
    const known = await credentialsOf(db, claims.userId);
    if (known.length === 0)
      throw new ApiError('resource_error/not_found', { message: 'The account has no passkey.' });
    const challenge = passkeyChallenges.issue(`mfa ${claims.id}`, now);
    return ok({ options: requestOptions(site, challenge, 'preferred', known) });
  },
);
