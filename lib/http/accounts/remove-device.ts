import { and, eq, type SQL } from 'drizzle-orm';
import { mfaDevices } from '../../../db/schema/accounts.ts';
import { lockAccount } from '../../accounts/accounts.ts';
import { switchMfaOff, verifiedDevices } from '../../accounts/mfa/devices.ts';
import { ApiError } from '../../errors.ts';
import type { CookieCall } from '../call.ts';
import { mailChange } from '../mails.ts';
import { logSecurityEvent } from '../security-log.ts';

/**
 * Removes a second factor of the signed-in user. Without another verified one, MFA is off then: the user could not sign in.
 * @param removal.verifiedHash of the password that was checked, if one was
 * @returns whether MFA is off now
 */
export async function removeDevice(
  call: CookieCall,
  removal: { id: string; only?: SQL | undefined; verifiedHash?: string | null },
): Promise<boolean> {
  const { db, services, user } = call;
  const { id, only, verifiedHash } = removal;
  const isOff = await db.transaction(async (tx) => {
    const { mfaEnabled } = await lockAccount(tx, call, verifiedHash);
    const [device] = await tx
      .delete(mfaDevices)
      .where(and(eq(mfaDevices.id, id), eq(mfaDevices.userId, user.id), only))
      .returning({ name: mfaDevices.name, type: mfaDevices.type });
    if (!device) throw new ApiError('resource_error/not_found');
    const change = device.type === 'passkey' ? 'passkey_removed' : 'mfa_device_removed';
    await mailChange(tx, call, change, { device: device.name });
    if (!mfaEnabled || (await verifiedDevices(tx, user.id)).length > 0) return false;
    await switchMfaOff(tx, user.id);
    await mailChange(tx, call, 'mfa_disabled');
    return true;
  });
  services.mail.kick();
  logSecurityEvent(call, 'mfa_device_removed', { device: id });
  if (isOff) logSecurityEvent(call, 'mfa_disabled');
  return isOff;
}
