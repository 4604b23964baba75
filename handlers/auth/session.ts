import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { publicAccess } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { visitorOf } from '../../lib/http/middleware/session.ts';
import { shown, z } from '../../lib/http/schema.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { Account, Organization } from '../../lib/resources.ts';

export const session = endpoint(
  {
    method: 'get',
    path: '/auth/session',
    access: publicAccess,
    tag: 'Auth',
    summary: 'Who is here',
    description:
      'All that a web page has to know before it shows anything, in one request: that of `/config/auth` and, when the visitor is signed in, that of `/auth/me`. Nobody being signed in is no error.',
    responses: {
      200: {
        description:
          'The base domain, empty when there is none; the user and their organizations, if there is one.',
        result: z.object({
          base_domain: shown('findings.example.com'),
          user: Account.optional(),
          email_verification_required: z.literal(true).optional().openapi({
            description: 'There when the account can do nothing but verify its primary address and sign out.',
          }),
          orgs: z.array(Organization),
        }),
      },
    },
    // Of several sessions' cookies.
    errors: ['auth_error/not_authenticated'],
  },
  async (call) => {
    const base_domain = call.services.config.baseDomain ?? '';
    const visitor = await visitorOf(call);
    if (!visitor) return ok({ base_domain, orgs: [] });
    const { user } = visitor;
    const isClosed = call.services.config.requireVerifiedEmail && !user.emailVerified;
    return ok({
      base_domain,
      user: { ...toUser(user), mfa_enabled: user.mfaEnabled },
      ...(isClosed && { email_verification_required: true as const }),
      orgs: await listOrgsOf(visitor),
    });
  },
);
