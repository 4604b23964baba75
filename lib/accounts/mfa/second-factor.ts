import { and, eq, isNull, lt, or } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { mfaDevices } from '../../../db/schema/accounts.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import { z } from '../../schema.ts';
import type { AuthLimits } from '../limits/limits.ts';
import { verifiedDevices } from './devices.ts';
import type { EmailCodes } from './email-codes.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { matchTotp } from './totp.ts';

/** A code that a user entered. */
export interface GivenCode {
  code: string;
  deviceId?: string | undefined;
  isRecovery?: boolean | undefined;
  /** The purpose of a mailed code: the login (id of its `mfa_token`), or the session that steps up. */
  purpose: string;
}

/** The services that check codes. */
interface CodeServices {
  emailCodes: EmailCodes;
  limits: AuthLimits;
  secretBox: SecretBox;
}

/** Consumes a code of the named device, or a recovery code. @returns whether the code was valid */
export async function useCode(
  tx: Tx,
  services: CodeServices,
  userId: string,
  given: GivenCode,
  now: Date,
): Promise<boolean> {
  if (given.isRecovery) return useRecoveryCode(tx, userId, given.code, now);
  return useDeviceCode(
    tx,
    services,
    userId,
    { ...given, deviceId: (given.deviceId ?? '').toLowerCase() },
    now,
  );
}

/** Consumes a code like `useCode`; without a device, it may belong to any device of the user. */
export async function useAnyCode(
  tx: Tx,
  services: CodeServices,
  userId: string,
  given: GivenCode,
  now: Date,
): Promise<boolean> {
  if (given.isRecovery || given.deviceId !== undefined) return useCode(tx, services, userId, given, now);
  for (const { id: deviceId } of await verifiedDevices(tx, userId)) {
    if (await useDeviceCode(tx, services, userId, { ...given, deviceId }, now)) return true;
  }
  return false;
}

async function useDeviceCode(
  tx: Tx,
  services: CodeServices,
  userId: string,
  { code, deviceId, purpose }: GivenCode & { deviceId: string },
  now: Date,
): Promise<boolean> {
  if (!z.guid().safeParse(deviceId).success) return false;
  const isOwn = and(
    eq(mfaDevices.id, deviceId),
    eq(mfaDevices.userId, userId),
    eq(mfaDevices.verified, true),
  );
  const [device] = await tx
    .select({ type: mfaDevices.type, secret: mfaDevices.secret })
    .from(mfaDevices)
    .where(isOwn);
  if (!device) return false;
  if (device.type === 'email') {
    if (!(await services.emailCodes.use(tx, { id: deviceId, purpose }, code, now))) return false;
    await tx.update(mfaDevices).set({ lastUsedAt: now }).where(isOwn);
    return true;
  }
  const step =
    device.secret === null ? undefined : matchTotp(await services.secretBox.open(device.secret), code, now);
  if (step === undefined) return false;
  // With limits on, each time step is accepted once, so that a phished code cannot be replayed.
  const isUnused = services.limits.on
    ? or(isNull(mfaDevices.lastStep), lt(mfaDevices.lastStep, step))
    : undefined;
  const taken = await tx
    .update(mfaDevices)
    .set({ lastUsedAt: now, lastStep: step })
    .where(and(isOwn, isUnused))
    .returning({ id: mfaDevices.id });
  return taken.length > 0;
}
