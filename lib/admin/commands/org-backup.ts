import type { Command } from 'commander';
import { backupOrg } from '../backup/backup.ts';
import { type RestoreResult, restoreBackup } from '../backup/restore.ts';
import { oneLine } from '../error.ts';
import { type Choose, ORG } from './choose.ts';

/** `orgs backup`, `restore-backup` */
export function addOrgBackup(orgs: Command, choose: Choose): void {
  orgs
    .command('backup')
    .description(
      'write an organization to a file that only its owner can read; servers may run; the file has findings, addresses of members and hashes of tokens',
    )
    .argument('<org>', ORG)
    .option('--file <path>', 'default: <slug>-<time>.backup in the current directory')
    .option('--force', 'overwrite the file if it exists')
    .action((org, options, command) =>
      choose(command, async ({ database, log, tracks }) => {
        const json = await backupOrg({ database, log, migrations: tracks.org }, org, options);
        const size = `${json.rows['org.findings']} findings, ${json.bytes} bytes`;
        return { json, text: `${json.org} is in ${oneLine(json.file)}: ${size}` };
      }),
    );
  orgs
    .command('restore-backup')
    .description(
      'restore an organization from a file, completely or not at all; servers may run; members need an account with the same id or verified address',
    )
    .argument('<file>', 'made by "orgs backup"')
    .option('--as <slug>', 'make a new organization with this slug, for example beside the original')
    .option('--owner <user>', 'id or verified address of an account that becomes an owner')
    .option('--without-tokens', 'revoke all API tokens: agents need new ones')
    .action((file, options, command) =>
      choose(command, async ({ database, log, tracks }) => {
        const json = await restoreBackup({ database, log, migrations: tracks.org }, file, options);
        return { json, text: restoredText(json) };
      }),
    );
}

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
