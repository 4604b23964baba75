import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { publicAccess } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { visitorOf } from '../../lib/http/middleware/access/session.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { Account, Organization } from '../../lib/resources.ts';
import { shown, z } from '../../lib/schema.ts';

export const session = endpoint(
  {
    method: 'get',
    path: '/auth/session',
    access: publicAccess,
    tag: 'Auth',
    summary: 'Get the current session, if there is one',
    description:
      'Combines `/config/auth` and, for a signed-in visitor, `/auth/me`, so that a web page needs one request before it renders. A visitor who is not signed in is not an error.',
    responses: {
      200: {
        description:
          'The base domain (empty when none is configured); for a signed-in visitor also the user and their organizations.',
        result: z.object({
          base_domain: shown('findings.example.com'),
          user: Account.optional(),
          email_verification_required: z.literal(true).optional().openapi({
            description:
              'Present when the account must verify its primary address before it can do anything else.',
          }),
          orgs: z.array(Organization),
        }),
      },
    },
    // For requests with cookies of several sessions.
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
      orgs: await listOrgsOf(visitor, call.services),
    });
  },
);
