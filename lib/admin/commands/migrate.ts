import type { Command } from 'commander';
import { EXIT } from '../error.ts';
import { type MigrationResult, migrate } from '../migrations.ts';
import { migrationLine } from '../output.ts';
import { type Choose, ORG } from './choose.ts';

/** `migrate` */
export function addMigrate(program: Command, choose: Choose): void {
  program
    .command('migrate')
    .description(
      'run or retry migrations: the shared schema, then one organization or all that are behind, then missing indexes; exits with 1 if one fails',
    )
    .argument('[org]', `${ORG}; default: all that are behind`)
    .action((org, _, command) =>
      choose(
        command,
        async ({ database, owner, tracks, progress }) => {
          const json = await migrate(database, {
            tracks,
            owner,
            org,
            onResult: (schema, result) => progress(migrationLine(schema, result)),
          });
          const hasFailed = json.failed > 0 || json.indexes?.failed.length;
          const exitCode = hasFailed ? EXIT.failed : EXIT.ok;
          return { json, text: summary(json), exitCode };
        },
        'creates',
      ),
    );
}

function summary({ shared, orgs, failed, indexes, search }: MigrationResult): string {
  if (shared.status === 'failed') return 'organizations were not tried';
  const migrated = orgs.filter(({ status }) => status === 'migrated').length;
  return [
    `organizations: ${migrated} migrated, ${failed} failed`,
    ...(indexes?.created ? [`indexes: ${indexes.created} created`] : []),
    ...(indexes?.failed.map(({ org_id, error }) => `indexes of ${org_id}: FAILED: ${error}`) ?? []),
    ...(search ? [`searches are not indexed: ${search.unavailable}`] : []),
  ].join('\n');
}
