import type { Command } from 'commander';
import { table, unchanged } from '../output.ts';
import { cancelProjectTransfer, listTransfers, transferProject } from '../project-transfers.ts';
import { deleteProject, listProjects, renameProject } from '../projects.ts';
import { type Choose, ORG } from './choose.ts';
import { mailBoxOf } from './secrets.ts';

const PROJECT = 'slug or id of the project';

/** `projects list`, `rename`, `delete`, `transfer`, `transfers`, `cancel-transfer` */
export function addProjects(program: Command, choose: Choose): void {
  const projects = program.command('projects').description("organizations' projects");
  projects
    .command('list')
    .description('list the projects of an organization with the number of their findings')
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(
        command,
        async ({ database, tracks }) => {
          const json = await listProjects(database, org, tracks.org);
          const rows = json.map((one) => [one.slug, one.id, String(one.findings), one.name]);
          return { json, text: table(['SLUG', 'ID', 'FINDINGS', 'NAME'], rows) };
        },
        'reads',
      ),
    );
  projects
    .command('rename')
    .description('change the name or the slug of a project; the former slug still leads to it')
    .argument('<org>', ORG)
    .argument('<project>', PROJECT)
    .option('--name <name>', 'the new name')
    .option('--slug <slug>', 'the new slug')
    .action((org, project, options, command) =>
      choose(command, async ({ database, log, tracks }) => {
        const call = { database, log, migrations: tracks.org };
        const json = await renameProject(call, { org, project }, options);
        return { json, text: `the project is ${json.changed ? 'now ' : ''}${json.slug}${unchanged(json)}` };
      }),
    );
  projects
    .command('delete')
    .description(
      'delete a project and revoke its tokens; its findings and scans are removed by a running server; cannot be undone',
    )
    .argument('<org>', ORG)
    .argument('<project>', PROJECT)
    .option('--confirm <slug>', 'the slug of the project')
    .action((org, project, options, command) =>
      choose(command, async ({ config, database, log, tracks }) => {
        const call = { database, log, migrations: tracks.org, box: await mailBoxOf(config) };
        const json = await deleteProject(call, { org, project }, options.confirm);
        return { json, text: `${json.slug} is deleted, tokens revoked: ${json.tokens_revoked}` };
      }),
    );
  addTransfers(projects, choose);
}

function addTransfers(projects: Command, choose: Choose): void {
  projects
    .command('transfer')
    .description(
      'move a project to another organization and revoke its tokens; a running server moves it, and until then it takes no changes',
    )
    .argument('<org>', ORG)
    .argument('<project>', PROJECT)
    .argument('<to>', 'slug or id of the organization that gets it')
    .option('--slug <slug>', 'the slug in that organization, if it is to be another one')
    .option('--confirm <slug>', 'the slug of the project')
    .action((org, project, to, options, command) =>
      choose(command, async ({ database, config, log, tracks }) => {
        const call = { database, log, migrations: tracks.org, box: await mailBoxOf(config) };
        const json = await transferProject(call, { org, project, to }, options);
        return {
          json,
          text: `${json.project} is being transferred to ${json.to}, findings: ${json.findings}`,
        };
      }),
    );
  projects
    .command('transfers')
    .description('list the transfers in progress')
    .argument('[org]', `${ORG}, in either direction; all by default`)
    .action((org, _, command) =>
      choose(
        command,
        async ({ database }) => {
          const json = await listTransfers(database, org);
          const rows = json.map((one) => [
            ...[one.projectId, one.source, one.target, one.slug],
            ...[`${one.copied}/${one.findings}`, String(one.attempts)],
            ...[one.cancelled ? 'cancelling' : one.active ? 'moving' : 'waiting', one.error ?? ''],
          ]);
          const names = ['PROJECT', 'FROM', 'TO', 'SLUG', 'COPIED', 'ATTEMPTS', 'STATE', 'ERROR'];
          return { json, text: table(names, rows) };
        },
        'reads',
      ),
    );
  projects
    .command('cancel-transfer')
    .description('cancel the transfer of a project, which stays')
    .argument('<org>', ORG)
    .argument('<project>', PROJECT)
    .action((org, project, _, command) =>
      choose(command, async ({ database, log, tracks }) => {
        const call = { database, log, migrations: tracks.org };
        const json = await cancelProjectTransfer(call, { org, project });
        return { json, text: `the transfer of ${json.project} is cancelled` };
      }),
    );
}
