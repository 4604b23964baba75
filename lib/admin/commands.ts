import { Command } from 'commander';
import type { Choose, ChooseWithoutDatabase, Chosen } from './commands/choose.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDomains } from './commands/domains.ts';
import { addFlags } from './commands/flags.ts';
import { addMembers } from './commands/members.ts';
import { addMigrate } from './commands/migrate.ts';
import { addBackupKey } from './commands/org-backup.ts';
import { addOrgFlags } from './commands/org-flags.ts';
import { addOrgs } from './commands/orgs.ts';
import { addProjects } from './commands/projects.ts';
import { addRetention } from './commands/retention.ts';
import { addSecrets } from './commands/secrets.ts';
import { addSettings } from './commands/settings.ts';
import { addUsers } from './commands/users.ts';

/**
 * Builds the command line parser with all commands and their help.
 * @param output receives help and usage errors
 * @param onChosen receives the command that the arguments select
 */
export function buildProgram(
  output: { out(text: string): void; err(text: string): void },
  onChosen: (chosen: Chosen) => void,
): Command {
  const chooseWithoutDatabase: ChooseWithoutDatabase = (command, run) =>
    onChosen({ run, json: command.optsWithGlobals().json === true });
  const choose: Choose = (command, handler, create = false) =>
    chooseWithoutDatabase(command, async (context) =>
      handler({ ...context, database: await context.connect(create) }),
    );
  const program = new Command('admin')
    .description(
      'Administration of the service. Uses the database of DATABASE_URL or the embedded one; servers may be running.',
    )
    .option('--json', 'write the result as JSON')
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText(
      'after',
      `
The configuration is the same as for servers: environment variables, or the file .env in the current directory.
Exit codes: 0 success, 1 failed or not found, 2 usage error. Errors are one line on stderr.

Examples:
  admin flags set signup off
  admin domains set acme findings.acme.com
  admin migrate --json`,
    );

  for (const add of [
    addFlags,
    addSettings,
    addOrgFlags,
    addDomains,
    addOrgs,
    addProjects,
    addRetention,
    addMembers,
    addUsers,
    addSecrets,
    addMigrate,
  ])
    add(program, choose);
  addBackupKey(program, chooseWithoutDatabase);
  addDoctor(program, chooseWithoutDatabase);
  return program;
}
