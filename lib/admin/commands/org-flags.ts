import type { Command } from 'commander';
import { listOrgFlags, provisionOrgFlag } from '../org-flags.ts';
import { onOff, table, unchanged, yesNo } from '../output.ts';
import { type Choose, ORG } from './choose.ts';

/** `org-flags list`, `provision`, `withdraw` */
export function addOrgFlags(program: Command, choose: Choose): void {
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
      choose(
        command,
        async ({ database, tracks }) => {
          const json = await listOrgFlags({ database, migrations: tracks.org }, org);
          const rows = json.map((flag) => [
            flag.name,
            yesNo(flag.provisioned),
            yesNo(flag.enabled),
            yesNo(flag.active),
            flag.description,
          ]);
          return { json, text: table(['FLAG', 'PROVISIONED', 'ENABLED', 'ACTIVE', 'DESCRIPTION'], rows) };
        },
        'reads',
      ),
    );
  for (const [verb, provisioned, what] of [
    ['provision', true, "allow an organization's owner to use a feature flag"],
    ['withdraw', false, "revoke a feature flag from an organization; the owner's setting is kept"],
  ] as const) {
    orgFlags
      .command(verb)
      .description(what)
      .argument('<org>', ORG)
      .argument('<flag>', 'name of the flag')
      .action((org, flag, _, command) =>
        choose(command, async ({ database, log, tracks }) => {
          const call = { database, log, migrations: tracks.org };
          const json = await provisionOrgFlag(call, org, flag, provisioned);
          const state = `${json.changed ? 'now ' : ''}${provisioned ? 'provisioned' : 'withdrawn'}`;
          const owner = `the owner has it ${onOff(json.enabled)}`;
          return { json, text: `${json.name} of ${json.org} is ${state}, ${owner}${unchanged(json)}` };
        }),
      );
  }
}
