import { undoPrimaryEmailChange } from '../../lib/accounts/primary-email-changes.ts';
import { randomHex } from '../../lib/crypto/random.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { mailedToken } from '../../lib/http/fields.ts';
import { logSecurityEvent } from '../../lib/http/security-log.ts';
import { z } from '../../lib/schema.ts';

export const undoEmailChange = endpoint(
  {
    method: 'post',
    path: '/auth/undo-email-change',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Undo a change of the primary e-mail address',
    description:
      'By the link that was mailed to the former primary address; it works once, for 72 hours. The former address is the primary one again. The new one is removed, and so are addresses and second factors that were added within 7 days before the change or after it. All sessions, personal access tokens, mailed links and recovery codes end. The password no longer works: a link to set a new one is mailed to the restored address. 409 `conflict`, and nothing changes, when another account has the address and verified it, or has it while this account had never verified it.',
    request: { body: z.object({ token: mailedToken() }) },
    responses: {
      200: {
        description: 'The address is the primary one again.',
        message: 'The address was restored. A link to set a new password is on its way to it.',
      },
    },
    errors: ['resource_error/conflict', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, peer, services } = call;
    await services.limits.count('client', peer.ip);
    const unknownPassword = () => services.hasher.hash(randomHex(32), peer.ip);
    const undo = { token: body.token, now, ip: peer.ip, unknownPassword };
    const account = await undoPrimaryEmailChange(db, services, undo);
    services.mail.kick();
    logSecurityEvent(call, 'primary_email_restored', { account });
    return done();
  },
);
