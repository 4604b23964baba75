import { type Command, InvalidArgumentError } from 'commander';
import { listEvents } from '../events.ts';
import { table } from '../output.ts';
import type { Choose } from './choose.ts';

const MAX = 10_000;

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MAX) return value;
  throw new InvalidArgumentError(`it takes a whole number from 1 to ${MAX}`);
}

/** `events list` */
export function addEvents(program: Command, choose: Choose): void {
  program
    .command('events')
    .description('commands of operators that changed something or exported data')
    .command('list')
    .description('list them, the newest first, with the security events that they caused (--json)')
    .option('--limit <n>', 'the most to list', count, 50)
    .action((options: { limit: number }, command) =>
      choose(
        command,
        async ({ database }) => {
          const json = await listEvents(database, options.limit);
          const rows = json.map((one) => [
            ...[one.at.toISOString(), one.operator, one.command],
            Object.values(one.arguments).join(' '),
            one.outcome ?? 'interrupted',
          ]);
          return { json, text: table(['TIME', 'OPERATOR', 'COMMAND', 'ARGUMENTS', 'OUTCOME'], rows) };
        },
        'reads',
      ),
    );
}
