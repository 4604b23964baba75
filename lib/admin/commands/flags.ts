import { Argument, type Command } from 'commander';
import { listFlags, setFlag } from '../flags.ts';
import { onOff, table, unchanged } from '../output.ts';
import type { Choose } from './choose.ts';

/** `flags list`, `flags set` */
export function addFlags(program: Command, choose: Choose): void {
  const flags = program.command('flags').description('global feature flags');
  flags
    .command('list')
    .description('list the global feature flags')
    .action((_, command) =>
      choose(
        command,
        async ({ database }) => {
          const json = await listFlags(database);
          const rows = json.map((flag) => [flag.name, onOff(flag.enabled), flag.description]);
          return { json, text: table(['FLAG', 'STATE', 'DESCRIPTION'], rows) };
        },
        'reads',
      ),
    );
  flags
    .command('set')
    .description('set a global feature flag; running servers use it immediately')
    .argument('<flag>', 'name of the flag')
    .addArgument(new Argument('<state>', 'its new state').choices(['on', 'off']))
    .action((name, state, _, command) =>
      choose(command, async ({ owner }) => {
        const json = await setFlag(owner, name, state === 'on');
        return { json, text: `${json.name} is ${json.changed ? 'now ' : ''}${state}${unchanged(json)}` };
      }),
    );
}
