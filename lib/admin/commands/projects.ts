import type { Command } from 'commander';
import { table, unchanged } from '../output.ts';
import { deleteProject, listProjects, renameProject } from '../projects.ts';
import { type Choose, ORG } from './choose.ts';

const PROJECT = 'slug or id of the project';

/** `projects list`, `rename`, `delete` */
export function addProjects(program: Command, choose: Choose): void {
  const projects = program.command('projects').description("organizations' projects");
  projects
    .command('list')
    .description('list the projects of an organization with the number of their findings')
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database, tracks }) => {
        const json = await listProjects(database, org, tracks.org.length);
        const rows = json.map((one) => [one.slug, one.id, String(one.findings), one.name]);
        return { json, text: table(['SLUG', 'ID', 'FINDINGS', 'NAME'], rows) };
      }),
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
        const call = { database, log, version: tracks.org.length };
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
      choose(command, async ({ database, log, tracks }) => {
        const call = { database, log, version: tracks.org.length };
        const json = await deleteProject(call, { org, project }, options.confirm);
        return { json, text: `${json.slug} is deleted, tokens revoked: ${json.tokens_revoked}` };
      }),
    );
}
