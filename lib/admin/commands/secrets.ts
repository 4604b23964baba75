import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { deriveKeys } from '../../crypto/keys.ts';
import { createSecretBox } from '../../crypto/secret-box.ts';
import { readMailSecret } from '../../node/mail-secret.ts';
import { createMailBox } from '../../services.ts';
import { AdminError, EXIT } from '../error.ts';
import { type ReencryptedKind, reencrypt } from '../secrets.ts';
import type { Choose } from './choose.ts';

/** `secrets re-encrypt` */
export function addSecrets(program: Command, choose: Choose): void {
  program
    .command('secrets')
    .description('encrypted values in the database')
    .command('re-encrypt')
    .description(
      'encrypt TOTP secrets, client secrets of providers, secrets of webhooks and integrations, and queued mails with the first key of SVC_ENCRYPTION_KEY, so that the other keys can be removed; servers may be running, and an interrupted run can be repeated; exits with 1 if no key can decrypt a value',
    )
    .action((_, command) =>
      choose(command, async ({ database, config, progress }) => {
        if (config.encryptionKeys.length === 0) {
          throw new AdminError('SVC_ENCRYPTION_KEY is not set: it is the key to encrypt with');
        }
        const totp = createSecretBox(deriveKeys(config.encryptionKeys, 'totp secrets'));
        const json = await reencrypt(database, { totp, mail: await mailBoxOf(config) }, progress);
        const left = Object.values(json).reduce((sum, kind) => sum + kind.left.length, 0);
        const text = [
          kindLine('TOTP secrets', json.totp_secrets),
          kindLine('client secrets', json.client_secrets),
          kindLine('secrets of webhooks and integrations', json.webhook_secrets),
          kindLine('queued mails', json.queued_mails),
          left === 0
            ? 'everything is encrypted with the first key: the others can be removed'
            : `${left} left: keep the former keys, and add the one that is missing`,
        ].join('\n');
        return { json, text, exitCode: left > 0 ? EXIT.failed : EXIT.ok };
      }),
    );
}

/** The secret box for queued mails, with the same keys as the servers that use this data directory. */
export async function mailBoxOf(config: Config) {
  const mailSecret = await readMailSecret(config, { warn: () => {} });
  if (config.encryptionKeys.length === 0 && config.jwtSecrets.length === 0 && mailSecret === undefined) {
    throw new AdminError(`the key for mails is missing: set the servers' secrets, or their SVC_DATA_DIR`);
  }
  return createMailBox(config, mailSecret);
}

function kindLine(kind: string, { reencrypted, skipped, left }: ReencryptedKind): string {
  const counts = `${kind}: ${reencrypted} re-encrypted, ${skipped} changed meanwhile, ${left.length} left`;
  return [counts, ...left.map(({ id, reason }) => `  ${id}: ${reason}`)].join('\n');
}
