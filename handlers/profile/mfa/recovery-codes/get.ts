import { countRecoveryCodes, RECOVERY_CODES } from '../../../../lib/accounts/mfa/recovery-codes.ts';
import { cookie } from '../../../../lib/http/access.ts';
import { ok } from '../../../../lib/http/answer.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { count, z } from '../../../../lib/schema.ts';

export const getRecoveryCodes = endpoint(
  {
    method: 'get',
    path: '/profile/mfa/recovery-codes',
    access: cookie,
    tag: 'Profile: MFA',
    summary: 'Get the number of unused recovery codes',
    responses: {
      200: {
        description:
          'The number of unused codes. The codes themselves are returned only when they are generated.',
        result: z.object({ remaining: count(7), total: count(RECOVERY_CODES) }),
      },
    },
  },
  async ({ db, user }) => ok({ remaining: await countRecoveryCodes(db, user.id), total: RECOVERY_CODES }),
);
