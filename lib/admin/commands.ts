import { Command } from 'commander';
import { VERSION } from '../config/version.ts';
import { addAudit } from './commands/audit.ts';
import type { Choose, ChooseWithoutDatabase, Chosen } from './commands/choose.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDomains } from './commands/domains.ts';
import { addEvents } from './commands/events.ts';
import { addFlags } from './commands/flags.ts';
import { addMails } from './commands/mails.ts';
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
import { describeCommand, recorded } from './events.ts';

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
    onChosen({ run, ...globalsOf(command) });
  const choose: Choose = (command, handler, kind = 'changes') =>
    chooseWithoutDatabase(command, async (context) => {
      const database = await context.connect(kind === 'creates');
      const owner = (kind !== 'reads' && (await context.connectOwner())) || database;
      const call = { ...context, database, owner };
      return kind === 'reads' ? handler(call) : recorded(call, describeCommand(command), handler, kind);
    });
  const program = new Command('admin')
    .description(
      'Administration of the service. Uses the database of DATABASE_URL or the embedded one; servers may be running.',
    )
    .version(VERSION)
    .option('--json', 'write the result as JSON')
    .option('--env-file <path>', 'read settings from a file, such as the EnvironmentFile of systemd')
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText(
      'after',
      `
The configuration is the same as for servers: environment variables, then --env-file, or without it the file .env in the
current directory.
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
    addMails,
    addSecrets,
    addMigrate,
    addAudit,
    addEvents,
  ])
    add(program, choose);
  addBackupKey(program, chooseWithoutDatabase);
  addDoctor(program, chooseWithoutDatabase);
  return program;
}

function globalsOf(command: Command): Pick<Chosen, 'json' | 'envFile'> {
  const { json, envFile } = command.optsWithGlobals<{ json?: boolean; envFile?: string }>();
  return { json: json === true, envFile };
}
