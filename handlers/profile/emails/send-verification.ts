import { and, eq } from 'drizzle-orm';
import { userEmails } from '../../../db/schema/accounts.ts';
import { mailVerification } from '../../../lib/accounts/accounts.ts';
import { ApiError } from '../../../lib/errors.ts';
import { unverifiedCookie } from '../../../lib/http/access.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { idParam } from '../../../lib/http/fields.ts';
import { requireMailQuota } from '../../../lib/mail/quota.ts';
import { z } from '../../../lib/schema.ts';

export const sendVerification = endpoint(
  {
    method: 'post',
    path: '/profile/emails/{id}/send-verification',
    access: unverifiedCookie,
    audit: { none: 'account' },
    tag: 'Profile: e-mails',
    summary: 'Mail a verification link',
    description:
      'The link works once, for 24 hours. With `SVC_REQUIRE_VERIFIED_EMAIL`, an account whose primary address is not verified gets links to that address only.',
    request: { params: z.object({ id: idParam() }) },
    responses: {
      200: { description: 'The link was sent.', message: 'A verification link is on its way.' },
    },
    errors: ['permission_error/email_not_verified', 'resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { db, now, params, services, user } = call;
    const [email] = await db
      .select({
        id: userEmails.id,
        address: userEmails.email,
        isPrimary: userEmails.isPrimary,
        verifiedAt: userEmails.verifiedAt,
      })
      .from(userEmails)
      .where(and(eq(userEmails.id, params.id), eq(userEmails.userId, user.id)));
    if (!email) throw new ApiError('resource_error/not_found');
    if (services.config.requireVerifiedEmail && !user.emailVerified && !email.isPrimary)
      throw new ApiError('permission_error/email_not_verified');
    if (email.verifiedAt) {
      throw new ApiError('resource_error/conflict', { message: 'The e-mail address is already verified.' });
    }
    await services.limits.count('mail', user.id);
    const { id, address, isPrimary } = email;
    const addedBy = isPrimary ? undefined : user.email;
    await db.transaction(async (tx) => {
      await requireMailQuota(tx, services.config.quotas.mailsPerHour, 'link', address);
      await mailVerification(tx, services, { id, userId: user.id, address, addedBy }, now);
    });
    services.mail.kick();
    return done();
  },
);
