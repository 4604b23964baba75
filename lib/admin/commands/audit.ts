import type { Command } from 'commander';
import { verifyAudit } from '../audit.ts';
import { EXIT, oneLine } from '../error.ts';
import { type Choose, ORG } from './choose.ts';

/** `audit verify` */
export function addAudit(program: Command, choose: Choose): void {
  program
    .command('audit')
    .description('audit logs of organizations')
    .command('verify')
    .description('verify that no entry was changed or removed; exits with 1 if one was')
    .argument('[org]', `${ORG}; all without it`)
    .action((org: string | undefined, _, command) =>
      choose(
        command,
        async ({ database, tracks }) => {
          const json = await verifyAudit(database, { migrations: tracks.org, org });
          const lines = json.orgs.map(({ org: slug, entries, seq, hash, fault }) =>
            fault === undefined
              ? `${slug}: ${entries} entries, the newest is ${seq} with the hash ${hash}`
              : `${slug}: FAILED, ${oneLine(fault)}`,
          );
          const text = [...lines, `${json.failed} of ${json.orgs.length} audit logs failed`].join('\n');
          return { json, text, exitCode: json.failed > 0 ? EXIT.failed : EXIT.ok };
        },
        'reads',
      ),
    );
}
