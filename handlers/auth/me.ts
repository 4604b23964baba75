import { toUser } from '../../lib/accounts/sessions/sessions.ts';
import { unverifiedCookieOrToken } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { listOrgsOf } from '../../lib/orgs/list.ts';
import { Account, Organization } from '../../lib/resources.ts';
import { z } from '../../lib/schema.ts';

export const me = endpoint(
  {
    method: 'get',
    path: '/auth/me',
    access: unverifiedCookieOrToken,
    tag: 'Auth',
    summary: 'Get the signed-in user',
    responses: {
      200: {
        description: 'The signed-in user and their organizations.',
        result: z.object({
          user: Account,
          orgs: z.array(Organization),
        }),
      },
    },
  },
  async (call) => {
    const { services, user } = call;
    const orgs = await listOrgsOf(call, services);
    return ok({ user: { ...toUser(user), mfa_enabled: user.mfaEnabled }, orgs });
  },
);
