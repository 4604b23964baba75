import type { Tx } from '../../../db/client.ts';
import { completeMfaLogin, countCode, readMfaToken } from '../../../lib/accounts/mfa/logins.ts';
import { Assertion } from '../../../lib/accounts/passkeys/webauthn.ts';
import { toUser } from '../../../lib/accounts/sessions/sessions.ts';
import { ApiError } from '../../../lib/errors.ts';
import { baseDomainOnly } from '../../../lib/http/access.ts';
import { clientOf } from '../../../lib/http/accounts/clients.ts';
import { withPasskey } from '../../../lib/http/accounts/passkeys.ts';
import { signIn, unlessDeleted } from '../../../lib/http/accounts/sign-in.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { mfaToken } from '../../../lib/http/fields.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';
import { User } from '../../../lib/resources.ts';
import { optional, z } from '../../../lib/schema.ts';
import { readSsoLogin } from '../../../lib/sso/sessions.ts';

export const verifyPasskey = endpoint(
  {
    method: 'post',
    path: '/auth/passkey/verify',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Sign in with a passkey',
    description:
      'With an `mfa_token`, the passkey is the second factor of that login. Without one it signs in without a password: the authenticator must have verified the user, and the session counts as one with MFA. Each challenge works once. A signature counter that goes backwards is refused, and the owner is told by mail.',
    request: { body: z.object({ mfa_token: optional(mfaToken()), credential: Assertion }) },
    responses: {
      200: {
        description: 'The user; the session cookie is set.',
        result: z.object({ user: User }),
        cookie: true,
      },
    },
    errors: [
      'auth_error/invalid_credentials',
      'auth_error/mfa_invalid_code',
      'resource_error/conflict',
      'rate_limit_error/exceeded',
    ],
  },
  async (call) => {
    const { body, db, now, peer, services } = call;
    const ceremony = {
      where: 'base' as const,
      event: 'sign_in_failed' as const,
      clientOf: (account: Parameters<typeof clientOf>[1]) => clientOf(call, account),
    };
    await services.limits.count('client', peer.ip);
    if (body.mfa_token === undefined) {
      return withPasskey(
        call,
        body.credential,
        { ...ceremony, purpose: 'sign-in', alone: true, error: 'auth_error/invalid_credentials' },
        async ({ passkey, use }) => {
          const headers = await signIn(call, passkey, use, { passkeyId: passkey.deviceId }).catch(
            unlessDeleted,
          );
          return ok({ user: toUser(passkey) }, { headers });
        },
      );
    }
    const claims = await readMfaToken(services.signedTokens, body.mfa_token, now);
    const { id, userId } = claims;
    if (services.limits.on && !(await countCode(db, claims, now))) throw over();
    return withPasskey(
      call,
      body.credential,
      { ...ceremony, purpose: `mfa ${id}`, alone: false, error: 'auth_error/mfa_invalid_code', userId },
      async ({ passkey, use }) => {
        const sso = await readSsoLogin(db, services.ssoBox, id);
        const complete = async (tx: Tx) => {
          if (!(await completeMfaLogin(tx, claims, now))) throw over();
          await use(tx);
        };
        const headers = await signIn(call, passkey, complete, { sso }).catch(unlessDeleted);
        return ok({ user: toUser(passkey) }, { headers });
      },
    );

    function over(): ApiError {
      logSecurityEvent(call, 'sign_in_failed', { reason: 'sign-in over', account: userId });
      return new ApiError('auth_error/mfa_invalid_code');
    }
  },
);
