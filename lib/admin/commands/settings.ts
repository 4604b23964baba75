import type { Command } from 'commander';
import { table, unchanged } from '../output.ts';
import { getSetting, listSettings, setSetting, unsetSetting } from '../settings.ts';
import type { Choose } from './choose.ts';

/** `settings list`, `get`, `set`, `unset` */
export function addSettings(program: Command, choose: Choose): void {
  const settings = program.command('settings').description('settings: keys with text values');
  settings
    .command('list')
    .description('list the settings')
    .action((_, command) =>
      choose(
        command,
        async ({ database }) => {
          const json = await listSettings(database);
          return {
            json,
            text: table(
              ['KEY', 'VALUE'],
              json.map(({ key, value }) => [key, value]),
            ),
          };
        },
        'reads',
      ),
    );
  settings
    .command('get')
    .description('show the value of a setting')
    .argument('<key>')
    .action((key, _, command) =>
      choose(
        command,
        async ({ database }) => {
          const json = await getSetting(database, key);
          return { json, text: json.value };
        },
        'reads',
      ),
    );
  settings
    .command('set')
    .description('set a setting')
    .argument('<key>', '1 to 200 letters, digits and . _ : / -')
    .argument('<value>', 'any text; if it starts with a hyphen, write -- before the key')
    .action((key, value, _, command) =>
      choose(command, async ({ owner }) => {
        const json = await setSetting(owner, key, value);
        return { json, text: `${key} is ${json.changed ? 'now ' : ''}set to that value${unchanged(json)}` };
      }),
    );
  settings
    .command('unset')
    .description('remove a setting')
    .argument('<key>')
    .action((key, _, command) =>
      choose(command, async ({ owner }) => {
        const json = await unsetSetting(owner, key);
        return { json, text: `${key} is no longer set` };
      }),
    );
}
