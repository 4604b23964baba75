import type { Command } from 'commander';
import { sizeText } from '../../storage/quotas.ts';
import { recount } from '../counts.ts';
import { EXIT, oneLine } from '../error.ts';
import { allowAllNetworks } from '../networks.ts';
import { distributeOrgs } from '../org-placement.ts';
import { listOrgs, showOrg } from '../orgs.ts';
import { orgTable, recountLines, schemaText, unchanged } from '../output.ts';
import { type Choose, ORG } from './choose.ts';
import { addOrgBackup } from './org-backup.ts';
import { addOrgLifecycle } from './org-lifecycle.ts';

/** `orgs list`, `show`, `recount`, and the commands of `addOrgLifecycle` */
export function addOrgs(program: Command, choose: Choose): void {
  const orgs = program
    .command('orgs')
    .description('organizations, the versions of their schemas, and their counts');
  orgs
    .command('list')
    .description('list the organizations')
    .option('--behind', 'only those whose schema is behind')
    .option('--deleted', 'only those that are deleted')
    .action((options, command) =>
      choose(
        command,
        async ({ database, tracks }) => {
          const json = await listOrgs(database, tracks.org, {
            behind: options.behind === true,
            deleted: options.deleted === true,
          });
          return { json, text: orgTable(json, tracks.org.length) };
        },
        'reads',
      ),
    );
  orgs
    .command('show')
    .description('show an organization and the pending migration steps of its schema')
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(
        command,
        async ({ config, database, log, tracks }) => {
          const json = await showOrg({ database, log, migrations: tracks.org }, org, config.storage);
          const { bytes, max_bytes, rows, max_rows } = json.storage;
          const lines = [
            ['slug', json.slug],
            ['id', json.id],
            ['name', json.name],
            ['plan', json.plan],
            ['custom domain', json.custom_domain ?? '-'],
            ['schema', schemaText(json.schema_version, json.schema_state, tracks.org.length)],
            ['pending', json.pending.join(', ') || '-'],
            ['storage', `${bytes === null ? 'not measured' : sizeText(bytes)} of ${sizeText(max_bytes)}`],
            ['rows', `${rows ?? 'not measured'} of ${max_rows}`],
            ['created', json.created_at.toISOString()],
            ['deleted', json.deleted_at?.toISOString() ?? '-'],
            ['purged after', json.purge_at?.toISOString() ?? '-'],
          ] as const;
          return { json, text: lines.map(([key, value]) => `${key.padEnd(15)}${oneLine(value)}`).join('\n') };
        },
        'reads',
      ),
    );

  addOrgLifecycle(orgs, choose);
  addOrgBackup(orgs, choose);

  orgs
    .command('distribute')
    .description(
      'move the tables of one organization or all from the coordinator of Citus to workers; its requests wait meanwhile; exits with 1 if one fails',
    )
    .argument('[org]', `${ORG}; default: all on the coordinator`)
    .action((org, _, command) =>
      choose(command, async ({ database, progress }) => {
        const json = await distributeOrgs(database, org, ({ org, error }) =>
          progress(`${org}: ${error === null ? 'distributed' : `FAILED: ${error}`}`),
        );
        const failed = json.filter(({ error }) => error !== null).length;
        const text = `organizations: ${json.length - failed} distributed, ${failed} failed`;
        return { json, text, exitCode: failed > 0 ? EXIT.failed : EXIT.ok };
      }),
    );

  orgs
    .command('allow-all-networks')
    .description("remove an organization's allowed networks, so that its members reach it from everywhere")
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database, tracks }) => {
        const json = await allowAllNetworks({ database, migrations: tracks.org }, org);
        const before = json.changed ? `; allowed were ${json.networks.join(', ')}` : '';
        return { json, text: `${json.org} can be used from all networks${before}${unchanged(json)}` };
      }),
    );

  orgs
    .command('recount')
    .description(
      'count the findings and scans of one organization or all, and correct the stored counts; its agents wait meanwhile; exits with 1 if one fails',
    )
    .argument('[org]', `${ORG}; default: all`)
    .action((org, _, command) =>
      choose(command, async ({ database, tracks, progress }) => {
        const json = await recount(database, {
          migrations: tracks.org,
          org,
          onResult: (result) => progress(recountLines(result)),
        });
        const right = json.orgs.length - json.corrected - json.failed;
        const text = `organizations: ${right} right, ${json.corrected} corrected, ${json.failed} failed`;
        return { json, text, exitCode: json.failed > 0 ? EXIT.failed : EXIT.ok };
      }),
    );
}
