import type { Command } from 'commander';
import { listUnverifiedMembers } from '../members.ts';
import { table } from '../output.ts';
import { type Choose, ORG } from './choose.ts';

/** `members unverified` */
export function addMembers(program: Command, choose: Choose): void {
  const members = program.command('members').description("organizations' members");
  members
    .command('unverified')
    .description('list the members who have no access in strict mode until they verify an address')
    .argument('[org]', `${ORG}; default: all`)
    .action((org, _, command) =>
      choose(command, async ({ database }) => {
        const json = await listUnverifiedMembers(database, org);
        const rows = json.map((one) => [one.org, one.role, one.email, one.reason, one.name, one.user_id]);
        const text =
          rows.length > 0
            ? table(['ORG', 'ROLE', 'ADDRESS', 'REASON', 'NAME', 'USER'], rows)
            : 'all members have verified their addresses';
        return { json, text };
      }),
    );
}
