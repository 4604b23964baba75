import { and, eq, isNull, lt, or } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { mfaDevices } from '../../../db/schema/accounts.ts';
import type { PublicCall } from '../../http/call.ts';
import { z } from '../../http/schema.ts';
import { verifiedDevices } from './devices.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { matchTotp } from './totp.ts';

/** A code, and where it comes from. */
export interface GivenCode {
  code: string;
  deviceId?: string | undefined;
  isRecovery?: boolean | undefined;
  /** What a mailed code was asked for: a sign-in, by the id of its `mfa_token`, or a session's step-up, by the session's. */
  purpose: string;
}

/** Uses up a code of the named device, or a recovery code. @returns whether it was one */
export async function useCode(tx: Tx, call: PublicCall, userId: string, given: GivenCode): Promise<boolean> {
  if (given.isRecovery) return useRecoveryCode(tx, userId, given.code, call.now);
  return useDeviceCode(tx, call, userId, (given.deviceId ?? '').toLowerCase(), given);
}

/** The same, where a code without a device may be that of any device of the user. */
export async function useAnyCode(tx: Tx, call: PublicCall, userId: string, given: GivenCode) {
  if (given.isRecovery || given.deviceId !== undefined) return useCode(tx, call, userId, given);
  for (const { id } of await verifiedDevices(tx, userId)) {
    if (await useDeviceCode(tx, call, userId, id, given)) return true;
  }
  return false;
}

async function useDeviceCode(
  tx: Tx,
  { services, now }: PublicCall,
  userId: string,
  deviceId: string,
  { code, purpose }: GivenCode,
): Promise<boolean> {
  if (!z.guid().safeParse(deviceId).success) return false;
  const mine = and(eq(mfaDevices.id, deviceId), eq(mfaDevices.userId, userId), eq(mfaDevices.verified, true));
  const [device] = await tx
    .select({ type: mfaDevices.type, secret: mfaDevices.secret })
    .from(mfaDevices)
    .where(mine);
  if (!device) return false;
  if (device.type === 'email') {
    if (!(await services.emailCodes.use(tx, { id: deviceId, purpose }, code, now))) return false;
    await tx.update(mfaDevices).set({ lastUsedAt: now }).where(mine);
    return true;
  }
  const step =
    device.secret === null ? undefined : matchTotp(await services.secretBox.open(device.secret), code, now);
  if (step === undefined) return false;
  // With limits on, a step is accepted once: a code that was overheard or phished cannot be replayed.
  const fresh = services.limits.on
    ? or(isNull(mfaDevices.lastStep), lt(mfaDevices.lastStep, step))
    : undefined;
  const taken = await tx
    .update(mfaDevices)
    .set({ lastUsedAt: now, lastStep: step })
    .where(and(mine, fresh))
    .returning({ id: mfaDevices.id });
  return taken.length > 0;
}
