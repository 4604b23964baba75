import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';
import { PersonalToken, personalTokensOf } from '../../../lib/tokens/personal.ts';

export const listPersonalTokens = endpoint(
  {
    method: 'get',
    path: '/profile/tokens',
    access: cookie,
    tag: 'Profile: access tokens',
    summary: 'List your personal access tokens',
    description: 'Prefix and metadata only.',
    responses: {
      200: {
        description: 'The tokens, newest first, and expired ones until another is created.',
        result: z.object({ tokens: z.array(PersonalToken) }),
      },
    },
  },
  async ({ db, user }) => ok({ tokens: await personalTokensOf(db, user.id) }),
);
