import { and, eq } from 'drizzle-orm';
import { isUniqueViolation } from '../../db/errors.ts';
import { mailedTokens } from '../../db/schema/accounts.ts';
import { verifyAddress } from '../../lib/accounts/claim.ts';
import { consumeMailedToken, invalidLink } from '../../lib/accounts/mailed-tokens.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { mailedToken } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { uuid, z } from '../../lib/schema.ts';

export const verifyEmail = endpoint(
  {
    method: 'post',
    path: '/auth/verify-email',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Verify an e-mail address by a mailed link',
    description:
      'When several accounts claim an address, the first account to verify it gets it. Memberships by invitation to the address are confirmed.',
    request: { body: z.object({ token: mailedToken(), email_id: uuid() }) },
    responses: {
      200: { description: 'The address is verified.', message: 'The e-mail address is verified.' },
    },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, peer, services } = call;
    await services.limits.count('client', peer.ip);
    try {
      const account = await db.transaction(async (tx) => {
        const used = await consumeMailedToken(tx, 'verify_email', body.token, now, body.email_id);
        if (!used) throw invalidLink();
        const address = await verifyAddress(tx, used.emailId, now);
        if (!address) throw invalidLink();
        // Links that were mailed before are for what is done now.
        await tx
          .delete(mailedTokens)
          .where(and(eq(mailedTokens.emailId, used.emailId), eq(mailedTokens.purpose, 'verify_email')));
        return address.userId;
      });
      logSecurityEvent(call, 'email_verified', { account });
    } catch (error) {
      if (isUniqueViolation(error)) throw invalidLink(error);
      throw error;
    }
    return done();
  },
);
