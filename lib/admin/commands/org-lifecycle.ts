import type { Command } from 'commander';
import { deleteOrg, purgeOrgNow, renameOrg, restoreOrg } from '../org-lifecycle.ts';
import { unchanged } from '../output.ts';
import { type Choose, ORG } from './choose.ts';
import { mailBoxOf } from './secrets.ts';

/** `orgs rename`, `delete`, `restore`, `purge` */
export function addOrgLifecycle(orgs: Command, choose: Choose): void {
  orgs
    .command('rename')
    .description('change the name or the slug of an organization; the former slug still leads to it')
    .argument('<org>', ORG)
    .option('--name <name>', 'the new name')
    .option('--slug <slug>', 'the new slug')
    .action((org, options, command) =>
      choose(command, async ({ database, config, log }) => {
        const json = await renameOrg({ database, log, box: await mailBoxOf(config) }, org, options);
        return {
          json,
          text: `the organization is ${json.changed ? 'now ' : ''}${json.org}${unchanged(json)}`,
        };
      }),
    );
  orgs
    .command('delete')
    .description(
      'delete an organization: members and tokens can no longer use it, and its owners get a mail; it can be restored for 30 days',
    )
    .argument('<org>', ORG)
    .option('--confirm <slug>', 'the slug of the organization')
    .action((org, options, command) =>
      choose(command, async ({ database, config, log, tracks }) => {
        const call = { database, log, box: await mailBoxOf(config) };
        const json = await deleteOrg(call, org, options.confirm, tracks.org);
        return { json, text: `${json.org} is deleted, and purged after ${json.purge_at.toISOString()}` };
      }),
    );
  orgs
    .command('restore')
    .description('restore a deleted organization; its owners get a mail')
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database, config, log, tracks }) => {
        const call = { database, log, box: await mailBoxOf(config) };
        const json = await restoreOrg(call, org, tracks.org);
        return { json, text: `${json.org} is restored` };
      }),
    );
  orgs
    .command('purge')
    .description(
      'remove a deleted organization for good without waiting for the end of the 30 days; cannot be undone',
    )
    .argument('<org>', ORG)
    .option('--confirm <slug>', 'the slug of the organization')
    .action((org, options, command) =>
      choose(command, async ({ database, log }) => {
        const json = await purgeOrgNow({ database, log }, org, options.confirm);
        return { json, text: `${json.org} is removed for good` };
      }),
    );
}
