import { and, eq, isNull, lt, or } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { mfaDevices, userEmails, users } from '../../../db/shared.ts';
import { readMfaToken } from '../../../lib/auth/mfa.ts';
import { countRecoveryCodes, useRecoveryCode } from '../../../lib/auth/recovery-codes.ts';
import { toUser } from '../../../lib/auth/sessions.ts';
import { signIn } from '../../../lib/auth/sign-in.ts';
import { matchTotp } from '../../../lib/auth/totp.ts';
import { baseDomainOnly } from '../../../lib/http/access.ts';
import type { PublicCall } from '../../../lib/http/call.ts';
import { endpoint, ok } from '../../../lib/http/endpoint.ts';
import { ApiError } from '../../../lib/http/errors.ts';
import { mfaToken } from '../../../lib/http/fields.ts';
import { count, EXAMPLE_ID, optional, text, z } from '../../../lib/http/schema.ts';
import { User } from '../../../lib/resources.ts';

export const validateMfa = endpoint(
  {
    method: 'post',
    path: '/auth/mfa/validate',
    access: baseDomainOnly,
    tag: 'Auth',
    summary: 'End a login with the second factor',
    description:
      'With a code of a TOTP or e-mail device, or with a recovery code (`is_recovery`, no `device_id`), of which each works once.',
    request: {
      body: z.object({
        mfa_token: mfaToken(),
        device_id: optional(z.string().openapi({ example: EXAMPLE_ID })),
        code: text({ min: 1, max: 100, trim: true, example: '123456' }),
        is_recovery: optional(z.boolean().openapi({ example: false })),
      }),
    },
    responses: {
      200: {
        description: 'The user; the session cookie is set.',
        result: z.object({ user: User, recovery_codes_remaining: count(7).optional() }),
        cookie: true,
      },
    },
    errors: ['auth_error/mfa_invalid_code', 'rate_limit_error/exceeded'],
  },
  async (call) => {
    const { body, db, now, services } = call;
    const userId = await readMfaToken(call, body.mfa_token);
    await services.limits.count('code', userId);
    const [user] = await db
      .select({
        id: users.id,
        name: users.name,
        avatarUrl: users.avatarUrl,
        createdAt: users.createdAt,
        mfaEnabled: users.mfaEnabled,
        email: userEmails.email,
      })
      .from(users)
      .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
      .where(and(eq(users.id, userId), isNull(users.disabledAt)));
    if (!user?.mfaEnabled) throw invalidCode();
    let remaining: number | undefined;
    const headers = await signIn(call, user, async (tx) => {
      if (body.is_recovery) {
        if (!(await useRecoveryCode(tx, userId, body.code, now))) throw invalidCode();
        remaining = await countRecoveryCodes(tx, userId);
      } else if (!(await useDeviceCode(tx, call, userId, (body.device_id ?? '').toLowerCase(), body.code))) {
        throw invalidCode();
      }
    });
    await services.limits.forget('code', userId);
    const result = remaining === undefined ? {} : { recovery_codes_remaining: remaining };
    return ok({ user: toUser(user), ...result }, { headers });
  },
);

const invalidCode = () => new ApiError('auth_error/mfa_invalid_code');

/** Uses a code of one of the user's devices. @returns whether it was one */
async function useDeviceCode(
  tx: Tx,
  { services, now }: PublicCall,
  userId: string,
  deviceId: string,
  code: string,
): Promise<boolean> {
  if (!z.guid().safeParse(deviceId).success) return false;
  const mine = and(eq(mfaDevices.id, deviceId), eq(mfaDevices.userId, userId), eq(mfaDevices.verified, true));
  const [device] = await tx
    .select({ type: mfaDevices.type, secret: mfaDevices.secret })
    .from(mfaDevices)
    .where(mine);
  if (!device) return false;
  if (device.type === 'email') {
    if (!(await services.emailCodes.use(tx, deviceId, code, now))) return false;
    await tx.update(mfaDevices).set({ lastUsedAt: now }).where(mine);
    return true;
  }
  const step =
    device.secret === null ? undefined : matchTotp(await services.secretBox.open(device.secret), code, now);
  if (step === undefined) return false;
  // With limits on, a step is taken once: whoever looks over the user's shoulder is too late.
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
