import { MFA_TYPES } from '../../db/schema/accounts.ts';
import { findAnyAccount } from '../../lib/accounts/accounts.ts';
import { maskAddress, verifiedDevices } from '../../lib/accounts/mfa/devices.ts';
import { startMfaLogin } from '../../lib/accounts/mfa/logins.ts';
import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { ApiError } from '../../lib/errors.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { clientOf } from '../../lib/http/accounts/clients.ts';
import { signInByPassword, unlessDeleted } from '../../lib/http/accounts/sign-in.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { password } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { User } from '../../lib/resources.ts';
import { id, shown, z } from '../../lib/schema.ts';

const MfaMethod = z.object({ id: id(), type: z.enum(MFA_TYPES), name: shown('Phone') }).openapi('MfaMethod');

export const MfaRequired = z
  .object({
    mfa_required: z.literal(true),
    mfa_token: shown('eyJhbGciOiJIUzI1NiJ9.eyJ.sig', 'For `/auth/mfa/validate`, within five minutes.'),
    mfa_methods: z.array(MfaMethod),
  })
  .openapi('MfaRequired');

const SignedIn = z.object({ user: User }).openapi('SignedIn');

export const mfaRequired = (
  token: string,
  devices: Awaited<ReturnType<typeof verifiedDevices>>,
): z.output<typeof MfaRequired> => ({
  mfa_required: true,
  mfa_token: token,
  mfa_methods: devices.map(({ id, type, name, address }) => ({
    id,
    type,
    name: type === 'email' ? maskAddress(address ?? name) : name,
  })),
});

export const login = endpoint(
  {
    method: 'post',
    path: '/auth/login',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Log in',
    description:
      'With the primary or any verified e-mail address of the account. With MFA on, no cookie is set: `/auth/mfa/validate` completes the login.',
    request: {
      body: z.object({
        email: z.string().trim().toLowerCase().openapi({ example: 'ada@example.com' }),
        password: password(),
      }),
    },
    responses: {
      200: {
        description:
          'The user and the session cookie; with MFA on, the token and the devices for the second factor.',
        result: z.union([SignedIn, MfaRequired]).openapi('LoginResult'),
        cookie: true,
      },
    },
    errors: ['auth_error/invalid_credentials', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, peer, services } = call;
    const { hasher, limits } = services;
    // First: a login that will be refused neither costs a query nor counts as an attempt.
    hasher.requireRoom?.(peer.ip);
    await limits.count('client', peer.ip);
    const found = await findAnyAccount(db, body.email);
    // A disabled account is answered like an unknown address, in the same time.
    const account = found?.disabledAt === null ? found : undefined;
    const client = await clientOf(call, account);
    const forget = await limits.guess('password', account?.id ?? body.email, client);
    const matches = await hasher.verify(account?.passwordHash, body.password.slice(0, 1024), peer.ip);
    if (!account || !matches) {
      const reason = account ? 'wrong password' : found ? 'disabled account' : 'unknown address';
      logSecurityEvent(call, 'sign_in_failed', { reason, account: found?.id });
      throw new ApiError('auth_error/invalid_credentials');
    }
    await forget();
    if (!account.mfaEnabled) {
      return ok(
        { user: toUser(account) },
        { headers: await signInByPassword(call, account).catch(unlessDeleted) },
      );
    }
    const devices = await verifiedDevices(db, account.id);
    const token = await startMfaLogin(services, account, now).catch(unlessDeleted);
    return ok(mfaRequired(token, devices));
  },
);
