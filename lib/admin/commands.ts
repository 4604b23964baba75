import { Command } from 'commander';
import type { Choose, Chosen } from './commands/choose.ts';
import { addDomains } from './commands/domains.ts';
import { addFlags } from './commands/flags.ts';
import { addMembers } from './commands/members.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOrgFlags } from './commands/org-flags.ts';
import { addOrgs } from './commands/orgs.ts';
import { addSecrets } from './commands/secrets.ts';
import { addSettings } from './commands/settings.ts';
import { addUsers } from './commands/users.ts';

/**
 * All commands with their help.
 * @param output takes help and what was not understood
 * @param onChosen gets the command that the parsed arguments name
 */
export function buildProgram(
  output: { out(text: string): void; err(text: string): void },
  onChosen: (chosen: Chosen) => void,
): Command {
  const choose: Choose = (command, handler, create = false) =>
    onChosen({ handler, json: command.optsWithGlobals().json === true, create });
  const program = new Command('admin')
    .description(
      'What platform administrators do, on the database of DATABASE_URL or the embedded one, with servers running or not.',
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
Configuration is the servers': environment variables, or the file .env in the current directory.
Exit codes: 0 done, 1 failed or not found, 2 not understood. Errors are one line on stderr.

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
    addMembers,
    addUsers,
    addSecrets,
    addMigrate,
  ])
    add(program, choose);
  return program;
}
