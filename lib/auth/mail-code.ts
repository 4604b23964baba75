import type { PublicCall } from '../http/call.ts';
import { ApiError } from '../http/errors.ts';
import { emailCode } from '../mail/templates.ts';
import { maskAddress, verifiedDevices } from './mfa.ts';

/**
 * Mails a one-time code to an e-mail device.
 * @returns its address, masked
 * @throws ApiError `resource_error/not_found` when it is none of the user's
 */
export async function mailCode(
  { db, now, services }: PublicCall,
  userId: string,
  deviceId: string,
  options: { stepUp?: boolean } = {},
): Promise<string> {
  await services.limits.count('mail', userId);
  const devices = await verifiedDevices(db, userId);
  const device = devices.find(({ id, type }) => id === deviceId.toLowerCase() && type === 'email');
  if (!device?.address)
    throw new ApiError('resource_error/not_found', { message: 'There is no such e-mail device.' });
  const { id, address } = device;
  await db.transaction(async (tx) => {
    const code = await services.emailCodes.issue(tx, id, now);
    await services.mail.enqueue(tx, address, emailCode({ code, ...options }));
  });
  services.mail.kick();
  return maskAddress(address);
}
