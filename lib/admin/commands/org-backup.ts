import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backupOrg } from '../backup/backup.ts';
import { createKeyFile, readKey } from '../backup/keys.ts';
import { type RestoreResult, restoreBackup } from '../backup/restore.ts';
import { oneLine } from '../error.ts';
import { type Choose, type ChooseWithoutDatabase, ORG } from './choose.ts';

/** `orgs backup`, `restore-backup` */
export function addOrgBackup(orgs: Command, choose: Choose): void {
  withKey(orgs.command('backup'))
    .description(
      'write an organization to an encrypted file; servers may run; without its key or passphrase the file cannot be restored',
    )
    .argument('<org>', ORG)
    .option('--file <path>', 'default: <slug>-<time>.backup in the current directory')
    .option('--force', 'overwrite the file if it exists')
    .action((org, options, command) =>
      choose(command, async ({ database, log, tracks, ask }) => {
        const key = await readKey(options, ask, true);
        const json = await backupOrg({ database, log, migrations: tracks.org }, org, { ...options, key });
        const size = `${json.rows['org.findings']} findings, ${json.bytes} bytes, ${ENCRYPTION[json.encryption]}`;
        return { json, text: `${json.org} is in ${oneLine(json.file)}: ${size}` };
      }),
    );
  withKey(orgs.command('restore-backup'))
    .description(
      'restore an organization from a file, completely or not at all, after the whole file was verified; servers may run; members need an account with the same id or verified address',
    )
    .argument('<file>', 'made by "orgs backup"; not a pipe, because it is read twice')
    .option('--as <slug>', 'make a new organization with this slug, for example beside the original')
    .option('--owner <user>', 'id or verified address of an account that becomes an owner')
    .option('--without-tokens', 'revoke all API tokens: agents need new ones')
    .action((file, options, command) =>
      choose(command, async ({ database, log, tracks, ask }) => {
        const key = await readKey(options, ask, false);
        const json = await restoreBackup({ database, log, migrations: tracks.org }, file, {
          ...options,
          key,
        });
        return { json, text: restoredText(json) };
      }),
    );
}

/** `backup-key` */
export function addBackupKey(program: Command, choose: ChooseWithoutDatabase): void {
  program
    .command('backup-key')
    .description('make a key for "orgs backup", in a file that only its owner can read')
    .argument('<file>', 'must not exist')
    .action((path, _, command) =>
      choose(command, async () => {
        const file = resolve(path);
        await createKeyFile(file);
        const text = `the key is in ${oneLine(file)}: keep a copy of it apart from the backups, which cannot be restored without it`;
        return { json: { file }, text };
      }),
    );
}

const withKey = (command: Command) =>
  command
    .option(
      '--key-file <path>',
      'file with a key of "backup-key" or age-keygen; the first encrypts, all decrypt',
    )
    .option('--passphrase-file <path>', 'file with a passphrase, or /dev/stdin')
    .option('--passphrase', 'ask for a passphrase')
    .option('--plain', 'for a file that is not encrypted');

const ENCRYPTION = {
  key: 'encrypted with a key',
  passphrase: 'encrypted with a passphrase',
  none: 'not encrypted',
};

function restoredText(result: RestoreResult): string {
  const { members, rows, migrated, corrected, custom_domain_left_out: domain } = result;
  const lines = [
    `${result.org} is restored as of ${result.backup_created_at}: ${rows['org.findings']} findings, ${members.restored} members`,
    ...members.skipped.map(
      ({ email, role, reason }) =>
        `  not restored: ${role} ${oneLine(email ?? 'without an address')}: ${reason}`,
    ),
    ...(domain === null ? [] : [`  the custom domain ${oneLine(domain)} belongs to another organization`]),
    ...(result.tokens === 'revoked' ? ['  all API tokens are revoked'] : []),
    ...(result.erased_accounts > 0
      ? [`  persons without an account, whom servers erase from it: ${result.erased_accounts}`]
      : []),
    ...(migrated.length > 0 ? [`  migrated: ${migrated.join(', ')}`] : []),
    corrected.length === 0 ? 'counts: right' : `counts: ${corrected.length} corrected`,
  ];
  return lines.join('\n');
}
