import { desc, isNotNull } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import { mfaDevices } from '../../../db/schema/accounts.ts';
import { outgoingMails } from '../../../db/schema/platform.ts';
import type { Config } from '../../config/config.ts';
import { deriveKeys } from '../../crypto/keys.ts';
import { createSecretBox, type SecretBox } from '../../crypto/secret-box.ts';
import { mailBoxOf } from '../commands/secrets.ts';
import { type Check, checksOf } from './checks.ts';

export const KEY_DOCS = 'docs/deployment.md#rotating-secrets';

const keys = checksOf('keys', KEY_DOCS);
const NEWEST = 100;

/** Whether the configured keys decrypt the newest encrypted values. */
export async function checkKeys({ db }: Database, config: Config): Promise<Check[]> {
  const devices = await db
    .select({ sealed: mfaDevices.secret })
    .from(mfaDevices)
    .where(isNotNull(mfaDevices.secret))
    .orderBy(desc(mfaDevices.id))
    .limit(NEWEST);
  const mails = await db
    .select({ sealed: outgoingMails.sealed, context: outgoingMails.id })
    .from(outgoingMails)
    .orderBy(desc(outgoingMails.id))
    .limit(NEWEST);
  const totp = createSecretBox(deriveKeys(config.encryptionKeys, 'totp secrets'));
  return [
    await decrypts('secrets of authenticator apps', devices, totp),
    ...(mails.length > 0 ? [await decrypts('queued mails', mails, await mailBoxOf(config))] : []),
  ];
}

type Sealed = { sealed: string | null; context?: string };

async function decrypts(what: string, rows: readonly Sealed[], box: SecretBox): Promise<Check> {
  const opened = await Promise.all(
    rows.map(({ sealed, context }) =>
      box.open(sealed ?? '', context).then(
        () => true,
        () => false,
      ),
    ),
  );
  const lost = opened.filter((is) => !is).length;
  return lost === 0
    ? keys.ok(`the keys decrypt the newest ${what} (${rows.length} tried)`)
    : keys.failed(
        `the keys decrypt only ${rows.length - lost} of the newest ${rows.length} ${what}: add the former key`,
      );
}
