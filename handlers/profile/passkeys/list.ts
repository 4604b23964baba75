import { desc } from 'drizzle-orm';
import { toResource } from '../../../db/resources.ts';
import { mfaDevices } from '../../../db/schema/accounts.ts';
import { isPasskeyOf, Passkey, passkeyFields } from '../../../lib/accounts/passkeys/passkeys.ts';
import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';

export const listPasskeys = endpoint(
  {
    method: 'get',
    path: '/profile/passkeys',
    access: cookie,
    tag: 'Profile: passkeys',
    summary: 'List the passkeys of the account',
    responses: {
      200: {
        description: 'The passkeys, newest first.',
        result: z.object({ passkeys: z.array(Passkey) }),
      },
    },
  },
  async ({ db, user }) => {
    const rows = await db
      .select(passkeyFields)
      .from(mfaDevices)
      .where(isPasskeyOf(user.id))
      .orderBy(desc(mfaDevices.id));
    return ok({ passkeys: rows.map(toResource) });
  },
);
