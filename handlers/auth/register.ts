import { isUniqueViolation } from '../../db/errors.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { mailVerification } from '../../lib/accounts/accounts.ts';
import { isRegistered, takePlaceholder } from '../../lib/accounts/claim.ts';
import { checkChosenPassword, withWarning } from '../../lib/accounts/passwords/check.ts';
import { newPassword } from '../../lib/accounts/passwords/passwords.ts';
import { isRegistrationOpen } from '../../lib/accounts/registration.ts';
import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { ApiError } from '../../lib/errors.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { rememberDevice } from '../../lib/http/accounts/clients.ts';
import { startSession } from '../../lib/http/accounts/sign-in.ts';
import { created } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { email, name } from '../../lib/http/fields.ts';
import { mayMail } from '../../lib/http/mails.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { insertOrg, withFreeSlug } from '../../lib/orgs/create.ts';
import { orgSlugCandidates } from '../../lib/orgs/slugs.ts';
import { User } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

const REGISTERED = 'Registration successful.';

export const register = endpoint(
  {
    method: 'post',
    path: '/auth/register',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Register',
    description:
      'Creates an account with its own organization and signs it in. A verification link is mailed to the address.',
    request: { body: z.object({ email: email(), password: newPassword(), name: name('Ada Lovelace') }) },
    responses: {
      201: {
        description: 'The account; the session cookie is set.',
        result: z.object({ user: User }),
        message: REGISTERED,
        cookie: true,
      },
    },
    errors: [
      'permission_error/feature_disabled',
      'resource_error/already_exists',
      'rate_limit_error/exceeded',
    ],
  },
  async (call) => {
    const { body, db, peer, services } = call;
    await services.limits.count('client', peer.ip);
    const warning = checkChosenPassword(services.config, {
      field: 'password',
      password: body.password,
      addresses: [body.email],
    });
    if (!(await isRegistrationOpen(db)))
      throw new ApiError('permission_error/feature_disabled', { message: 'Registration is closed.' });
    // Asked before the password is hashed, which is the expensive part.
    if (await isRegistered(db, body.email)) throw taken();

    const passwordHash = await services.hasher.hash(body.password, peer.ip);
    const { at, ...user } = services.nextId();
    const email = services.nextId();
    const { id: orgId } = services.nextId();
    const { name } = body;
    const join = () =>
      withFreeSlug(db, { orgId, candidates: orgSlugCandidates(name) }, async (tx, slug) => {
        const values = { name, passwordHash, createdAt: at };
        const invited = await takePlaceholder(tx, body.email, values);
        const { userId, emailId } = invited ?? { userId: user.id, emailId: email.id };
        if (!invited) {
          await tx.insert(users).values({ id: userId, ...values });
          await tx
            .insert(userEmails)
            .values({ id: emailId, userId, email: body.email, isPrimary: true, createdAt: at });
        }
        // Strangers may have used up what this address gets: the account is made all the same.
        if (await mayMail(tx, call, 'link', body.email))
          await mailVerification(tx, services, { id: emailId, userId, address: body.email }, call.now);
        const org = {
          id: orgId,
          name: `${name}'s Org`,
          plan: 'free' as const,
          ownerId: userId,
          createdAt: at,
        };
        await insertOrg(tx, { ...org, slug }, services);
        return { userId, headers: await startSession(tx, call, userId) };
      });
    try {
      // Somebody may invite the address at the same moment: the second attempt finds the placeholder.
      const { userId, headers } = await join().catch((error) => {
        if (isUniqueViolation(error)) return join();
        throw error;
      });
      services.mail.kick();
      await rememberDevice(call, { id: userId, passwordHash });
      logSecurityEvent(call, 'sign_in', { account: userId, registered: true });
      const shown = toUser({ id: userId, name, avatarUrl: '', createdAt: at, email: body.email });
      return created({ user: shown }, { headers, ...withWarning(REGISTERED, warning) });
    } catch (error) {
      if (isUniqueViolation(error)) throw taken(error);
      throw error;
    }
  },
);

const taken = (cause?: unknown) =>
  new ApiError('resource_error/already_exists', {
    message: 'The e-mail address is already registered.',
    cause,
  });
