import { randomBytes } from 'node:crypto';
import type { destinations as t } from '../../db/schema/destinations.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { SECRET_PREFIX, secretContext } from '../events/signature.ts';

/** The former secret signs beside the new one for so long, so that receivers can be changed one after the other. */
export const FORMER_SECRET_MS = 24 * 60 * 60 * 1000;

const BYTES = 32;

/** A new secret, in the form of Standard Webhooks. */
export const newSecret = (): string => SECRET_PREFIX + randomBytes(BYTES).toString('base64');

/** Seals the secret of a destination. The former one is sealed in the same way. */
export const sealSecret = (box: SecretBox, destinationId: string, secret: string): Promise<string> =>
  box.seal(secret, secretContext(destinationId));

/** The columns of a rotation. A secret that was the former one before no longer signs. */
export const rotatedColumns = (
  { secret: former }: typeof t.$inferSelect,
  secret: string,
  now: Date,
): Partial<typeof t.$inferInsert> => ({
  secret,
  formerSecret: former,
  formerSecretUntil: new Date(now.getTime() + FORMER_SECRET_MS),
  updatedAt: now,
});
