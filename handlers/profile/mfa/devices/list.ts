import { desc, eq } from 'drizzle-orm';
import { toResource } from '../../../../db/resources.ts';
import { mfaDevices } from '../../../../db/schema/accounts.ts';
import { MfaDevice, mfaDeviceFields } from '../../../../lib/accounts/mfa/devices.ts';
import { cookie } from '../../../../lib/http/access.ts';
import { ok } from '../../../../lib/http/answer.ts';
import { endpoint } from '../../../../lib/http/endpoint.ts';
import { z } from '../../../../lib/schema.ts';

export const listMfaDevices = endpoint(
  {
    method: 'get',
    path: '/profile/mfa/devices',
    access: cookie,
    tag: 'Profile: MFA',
    summary: 'List the MFA devices of the account',
    responses: {
      200: {
        description: 'The devices, newest first, and whether MFA is on.',
        result: z.object({ devices: z.array(MfaDevice), mfa_enabled: z.boolean() }),
      },
    },
  },
  async ({ db, user }) => {
    const rows = await db
      .select(mfaDeviceFields)
      .from(mfaDevices)
      .where(eq(mfaDevices.userId, user.id))
      .orderBy(desc(mfaDevices.id));
    return ok({ devices: rows.map(toResource), mfa_enabled: user.mfaEnabled });
  },
);
