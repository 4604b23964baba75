import { toResource } from '../../../../../db/resources.ts';
import { mfaDevices } from '../../../../../db/shared.ts';
import { MfaDevice, mfaDeviceFields } from '../../../../../lib/auth/mfa.ts';
import { generateTotp } from '../../../../../lib/auth/totp.ts';
import { freshCookie } from '../../../../../lib/http/access.ts';
import { created, endpoint } from '../../../../../lib/http/endpoint.ts';
import { ApiError } from '../../../../../lib/http/errors.ts';
import { shown, text, z } from '../../../../../lib/http/schema.ts';

export const createTotpDevice = endpoint(
  {
    method: 'post',
    path: '/profile/mfa/devices/totp',
    access: freshCookie,
    tag: 'Profile: MFA',
    summary: 'Add an authenticator app',
    description: 'It counts once a code of it was verified. The secret is shown this once.',
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
  },
  async ({ body, db, services, user }) => {
    const { secret, url } = generateTotp(user.email);
    const { id, at } = services.nextId();
    const [row] = await db
      .insert(mfaDevices)
      .values({
        id,
        userId: user.id,
        type: 'totp',
        name: body.name,
        secret: await services.secretBox.seal(secret),
        verified: false,
        createdAt: at,
      })
      .returning(mfaDeviceFields);
    if (!row) throw new ApiError('server_error/internal');
    return created({ device: toResource(row), secret, url });
  },
);
