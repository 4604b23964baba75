import { eq } from 'drizzle-orm';
import { toResource } from '../../../../../db/resources.ts';
import { mfaDevices } from '../../../../../db/schema/accounts.ts';
import { lockAccount } from '../../../../../lib/accounts/accounts.ts';
import { MfaDevice, mfaDeviceFields } from '../../../../../lib/accounts/mfa/devices.ts';
import { generateTotp } from '../../../../../lib/accounts/mfa/totp.ts';
import { ApiError } from '../../../../../lib/errors.ts';
import { freshCookie } from '../../../../../lib/http/access.ts';
import { created } from '../../../../../lib/http/answer.ts';
import { endpoint } from '../../../../../lib/http/endpoint.ts';
import { requireRoom } from '../../../../../lib/quotas.ts';
import { shown, text, z } from '../../../../../lib/schema.ts';

export const createTotpDevice = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/devices/totp',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Profile: MFA',
    summary: 'Add an authenticator app',
    description: 'The device can be used once a code of it is verified. The secret is returned only here.',
    request: { body: z.object({ name: text({ min: 1, max: 100, trim: true, example: 'Phone' }) }) },
    responses: {
      201: {
        description: 'The device, unverified, and its secret.',
        result: z.object({
          device: MfaDevice,
          secret: shown('JBSWY3DPEHPK3PXP', 'Base32.'),
          url: shown(
            'otpauth://totp/Security%20Findings:ada%40example.com?secret=JBSWY3DPEHPK3PXP',
            'To be shown as a QR code.',
          ),
        }),
      },
    },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, db, services, user } = call;
    const { secret, url } = generateTotp(user.email);
    const { id, at } = services.nextId();
    const sealed = await services.secretBox.seal(secret);
    const row = await db.transaction(async (tx) => {
      await lockAccount(tx, call);
      const own = eq(mfaDevices.userId, user.id);
      await requireRoom(tx, services.config, 'mfaDevicesPerAccount', mfaDevices, own);
      const values = { id, userId: user.id, name: body.name, secret: sealed, createdAt: at };
      const [inserted] = await tx
        .insert(mfaDevices)
        .values({ ...values, type: 'totp', verified: false })
        .returning(mfaDeviceFields);
      return inserted;
    });
    if (!row) throw new ApiError('server_error/internal');
    return created({ device: toResource(row), secret, url });
  },
);
