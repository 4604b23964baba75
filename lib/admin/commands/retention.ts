import type { Command } from 'commander';
import { runRetention } from '../retention.ts';
import { type Choose, ORG } from './choose.ts';

/** `retention run` */
export function addRetention(program: Command, choose: Choose): void {
  program
    .command('retention')
    .description('how long organizations keep findings and scans')
    .command('run')
    .description('remove what has expired in an organization now instead of within a day')
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database, log, tracks }) => {
        const json = await runRetention({ database, log, migrations: tracks.org }, org);
        const keepsAll = json.resolved_findings === null && json.scans === null;
        const removed = `${json.findings_removed} findings and ${json.scans_removed} scans removed`;
        return { json, text: `${json.org}: ${keepsAll ? 'keeps everything' : removed}` };
      }),
    );
}
