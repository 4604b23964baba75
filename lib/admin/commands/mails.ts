import type { Command } from 'commander';
import { retryMails } from '../mails.ts';
import type { Choose } from './choose.ts';

/** `mails retry` */
export function addMails(program: Command, choose: Choose): void {
  program
    .command('mails')
    .description('mails that are not sent yet')
    .command('retry')
    .description(
      'let running servers send all mails that wait for their next attempt now, for example after an outage of the mail provider',
    )
    .action((_, command) =>
      choose(command, async ({ database }) => {
        const json = await retryMails(database);
        return {
          json,
          text: `mails: ${json.due_now} are due now, ${json.due_soon} were due within 2 minutes`,
        };
      }),
    );
}
