import type { Db } from '../../../db/client.ts';
import type { Config } from '../../config/config.ts';
import { ApiError } from '../../errors.ts';
import type { MailQueue } from '../../mail/queue.ts';
import { requireMailQuota } from '../../mail/quota.ts';
import { emailCode } from '../../mail/templates/sign-in.ts';
import type { AuthLimits } from '../limits/limits.ts';
import { maskAddress, verifiedDevices } from './devices.ts';
import type { CodeDevice, EmailCodes } from './email-codes.ts';

/**
 * Mails a one-time code to an e-mail device.
 * @param device the device and the purpose of the code
 * @returns the device's address, masked
 * @throws ApiError `resource_error/not_found` when the user has no such device
 */
export async function mailCode(
  { db, now }: { db: Db; now: Date },
  services: {
    config: Pick<Config, 'quotas'>;
    emailCodes: EmailCodes;
    limits: AuthLimits;
    mail: MailQueue;
  },
  userId: string,
  device: CodeDevice,
  options: { stepUp?: boolean } = {},
): Promise<string> {
  // Separate limits, so that a stolen session cannot use up the owner's codes for signing in.
  const kind = options.stepUp ? 'step_up' : 'code';
  await services.limits.count('mail', `${kind} ${userId}`);
  const devices = await verifiedDevices(db, userId);
  const found = devices.find(({ id, type }) => id === device.id.toLowerCase() && type === 'email');
  if (!found?.address)
    throw new ApiError('resource_error/not_found', { message: 'The account has no such e-mail device.' });
  const { id, address } = found;
  await db.transaction(async (tx) => {
    await requireMailQuota(tx, services.config.quotas.mailsPerHour, kind, address);
    const code = await services.emailCodes.issue(tx, { id, purpose: device.purpose }, now);
    await services.mail.enqueue(tx, address, emailCode({ code, ...options }));
  });
  services.mail.kick();
  return maskAddress(address);
}
