import type { Command } from 'commander';
import { ROLES } from '../../../db/schema/orgs.ts';
import { listUnverifiedMembers, setMemberRole } from '../members.ts';
import { table, unchanged } from '../output.ts';
import { type Choose, ORG } from './choose.ts';
import { mailBoxOf } from './secrets.ts';

/** `members unverified`, `set-role` */
export function addMembers(program: Command, choose: Choose): void {
  const members = program.command('members').description("organizations' members");
  members
    .command('unverified')
    .description('list the members who have no access in strict mode until they verify an address')
    .argument('[org]', `${ORG}; default: all`)
    .action((org, _, command) =>
      choose(
        command,
        async ({ database }) => {
          const json = await listUnverifiedMembers(database, org);
          const rows = json.map((one) => [one.org, one.role, one.email, one.reason, one.name, one.user_id]);
          const text =
            rows.length > 0
              ? table(['ORG', 'ROLE', 'ADDRESS', 'REASON', 'NAME', 'USER'], rows)
              : 'all members have verified their addresses';
          return { json, text };
        },
        'reads',
      ),
    );
  members
    .command('set-role')
    .description(
      'set the role of a member, for an organization whose only owner is gone; the owners get a mail',
    )
    .argument('<org>', ORG)
    .argument('<user>', 'id, or primary or verified e-mail address, of a member')
    .argument('<role>', ROLES.join(', '))
    .action((org, user, role, _, command) =>
      choose(command, async ({ database, config, log }) => {
        const call = { database, config, log, box: await mailBoxOf(config) };
        const json = await setMemberRole(call, { org, user, role });
        const before = json.changed ? ` (before: ${json.previous})` : unchanged(json);
        return {
          json,
          text: `${json.email} is ${json.changed ? 'now ' : ''}${json.role} of ${json.org}${before}`,
        };
      }),
    );
}
