import { Argument, Command } from 'commander';
import type { Database } from '../../db/client.ts';
import type { Config } from '../config.ts';
import { recount } from './counts.ts';
import { clearDomain, setDomain } from './domains.ts';
import { EXIT, oneLine } from './error.ts';
import { listFlags, setFlag } from './flags.ts';
import { migrate, type Tracks } from './migrations.ts';
import { listOrgFlags, provisionOrgFlag } from './org-flags.ts';
import { listOrgs, showOrg } from './orgs.ts';
import { migrationLine, onOff, orgTable, recountLines, schemaText, table, yesNo } from './output.ts';
import { getSetting, listSettings, setSetting, unsetSetting } from './settings.ts';

/** What a command has to say: to programs and to people. */
export interface Answer {
  json: unknown;
  text: string;
  exitCode?: number;
}

export interface Call {
  database: Database;
  config: Config;
  tracks: Tracks;
  /** Says something before the command is done; to people only. */
  progress(line: string): void;
}

export type Handler = (call: Call) => Promise<Answer>;

/** A command that was understood, to be run with a database. */
export interface Chosen {
  handler: Handler;
  json: boolean;
  /** Makes the embedded database when it is not there yet. */
  create: boolean;
}

const ORG = 'slug or id of the organization';

/**
 * All commands with their help.
 * @param output takes help and what was not understood
 * @param onChosen gets the command that the parsed arguments name
 */
export function buildProgram(
  output: { out(text: string): void; err(text: string): void },
  onChosen: (chosen: Chosen) => void,
): Command {
  const choose = (command: Command, handler: Handler, create = false) =>
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

  const flags = program.command('flags').description('global feature flags');
  flags
    .command('list')
    .description('list the global feature flags')
    .action((_, command) =>
      choose(command, async ({ database }) => {
        const json = await listFlags(database);
        const rows = json.map((flag) => [flag.name, onOff(flag.enabled), flag.description]);
        return { json, text: table(['FLAG', 'STATE', 'DESCRIPTION'], rows) };
      }),
    );
  flags
    .command('set')
    .description('switch a global feature flag; running servers heed it at once')
    .argument('<flag>', 'name of the flag')
    .addArgument(new Argument('<state>', 'its new state').choices(['on', 'off']))
    .action((name, state, _, command) =>
      choose(command, async ({ database }) => {
        const json = await setFlag(database, name, state === 'on');
        return { json, text: `${json.name} is ${json.changed ? 'now ' : ''}${state}${unchanged(json)}` };
      }),
    );

  const settings = program.command('settings').description('settings: keys with a text as their value');
  settings
    .command('list')
    .description('list the settings')
    .action((_, command) =>
      choose(command, async ({ database }) => {
        const json = await listSettings(database);
        return {
          json,
          text: table(
            ['KEY', 'VALUE'],
            json.map(({ key, value }) => [key, value]),
          ),
        };
      }),
    );
  settings
    .command('get')
    .description('show the value of a setting')
    .argument('<key>')
    .action((key, _, command) =>
      choose(command, async ({ database }) => {
        const json = await getSetting(database, key);
        return { json, text: json.value };
      }),
    );
  settings
    .command('set')
    .description('set a setting')
    .argument('<key>', '1 to 200 letters, digits and . _ : / -')
    .argument('<value>', 'any text; write -- in front of the key when it starts with a hyphen')
    .action((key, value, _, command) =>
      choose(command, async ({ database }) => {
        const json = await setSetting(database, key, value);
        return { json, text: `${key} is ${json.changed ? 'now ' : ''}set to that value${unchanged(json)}` };
      }),
    );
  settings
    .command('unset')
    .description('remove a setting')
    .argument('<key>')
    .action((key, _, command) =>
      choose(command, async ({ database }) => {
        const json = await unsetSetting(database, key);
        return { json, text: `${key} is no longer set` };
      }),
    );

  const orgFlags = program
    .command('org-flags')
    .description(
      "organizations' feature flags, which are active when provisioned here and enabled by the owner",
    );
  orgFlags
    .command('list')
    .description("list an organization's feature flags")
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database }) => {
        const json = await listOrgFlags(database, org);
        const rows = json.map((flag) => [
          flag.name,
          yesNo(flag.provisioned),
          yesNo(flag.enabled),
          yesNo(flag.active),
          flag.description,
        ]);
        return { json, text: table(['FLAG', 'PROVISIONED', 'ENABLED', 'ACTIVE', 'DESCRIPTION'], rows) };
      }),
    );
  for (const [verb, provisioned, what] of [
    ['provision', true, "let an organization's owner use a feature flag"],
    ['withdraw', false, "take a feature flag away from an organization; the owner's choice is kept"],
  ] as const) {
    orgFlags
      .command(verb)
      .description(what)
      .argument('<org>', ORG)
      .argument('<flag>', 'name of the flag')
      .action((org, flag, _, command) =>
        choose(command, async ({ database }) => {
          const json = await provisionOrgFlag(database, org, flag, provisioned);
          const state = `${json.changed ? 'now ' : ''}${provisioned ? 'provisioned' : 'withdrawn'}`;
          const owner = `the owner has it ${onOff(json.enabled)}`;
          return { json, text: `${json.name} of ${json.org} is ${state}, ${owner}${unchanged(json)}` };
        }),
      );
  }

  const domains = program.command('domains').description("organizations' custom domains");
  domains
    .command('set')
    .description('give an organization its custom domain; running servers answer there within 10 seconds')
    .argument('<org>', ORG)
    .argument('<domain>', 'host name, such as findings.example.com')
    .action((org, domain, _, command) =>
      choose(command, async ({ database, config }) => {
        const json = await setDomain(database, org, domain, config.baseDomain);
        if (!json.changed) {
          return {
            json,
            text: `the custom domain of ${json.org} is ${json.custom_domain}${unchanged(json)}`,
          };
        }
        const before = json.previous === null ? '' : ` (before: ${json.previous})`;
        return { json, text: `the custom domain of ${json.org} is now ${json.custom_domain}${before}` };
      }),
    );
  domains
    .command('clear')
    .description("take an organization's custom domain away; running servers stop to answer there at once")
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database }) => {
        const json = await clearDomain(database, org);
        const text = json.changed
          ? `${json.org} has no custom domain any more (before: ${json.previous})`
          : `${json.org} has no custom domain${unchanged(json)}`;
        return { json, text };
      }),
    );

  const orgs = program
    .command('orgs')
    .description('organizations, the versions of their schemas, and their counts');
  orgs
    .command('list')
    .description('list the organizations')
    .option('--behind', 'only those whose schema is behind')
    .action((options, command) =>
      choose(command, async ({ database, tracks }) => {
        const json = await listOrgs(database, tracks.org, { behind: options.behind === true });
        return { json, text: orgTable(json, tracks.org.length) };
      }),
    );
  orgs
    .command('show')
    .description('show an organization, and the migration steps its schema lacks')
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database, tracks }) => {
        const json = await showOrg(database, org, tracks.org);
        const lines = [
          ['slug', json.slug],
          ['id', json.id],
          ['name', json.name],
          ['plan', json.plan],
          ['custom domain', json.custom_domain ?? '-'],
          ['schema', schemaText(json.schema_version, json.schema_state, tracks.org.length)],
          ['pending', json.pending.join(', ') || '-'],
          ['created', json.created_at.toISOString()],
        ] as const;
        return { json, text: lines.map(([key, value]) => `${key.padEnd(15)}${oneLine(value)}`).join('\n') };
      }),
    );

  orgs
    .command('recount')
    .description(
      'count the findings and scans of an organization, or of all, and correct the counts that are kept of them; its agents wait meanwhile; exits with 1 when one fails',
    )
    .argument('[org]', `${ORG}; all when it is left out`)
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

  program
    .command('migrate')
    .description(
      'run or retry migrations: the shared schema, then every organization that is behind, or one; exits with 1 when one fails',
    )
    .argument('[org]', `${ORG}; all that are behind when it is left out`)
    .action((org, _, command) =>
      choose(
        command,
        async ({ database, tracks, progress }) => {
          const json = await migrate(database, {
            tracks,
            org,
            onResult: (schema, result) => progress(migrationLine(schema, result)),
          });
          const exitCode = json.failed > 0 ? EXIT.failed : EXIT.ok;
          return { json, text: summary(json), exitCode };
        },
        true,
      ),
    );
  return program;
}

const unchanged = ({ changed }: { changed: boolean }) => (changed ? '' : ' already: nothing changed');

function summary({ shared, orgs, failed }: Awaited<ReturnType<typeof migrate>>): string {
  if (shared.status === 'failed') return 'organizations were not tried';
  const migrated = orgs.filter(({ status }) => status === 'migrated').length;
  return `organizations: ${migrated} migrated, ${failed} failed`;
}
