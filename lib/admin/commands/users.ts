import type { Command } from 'commander';
import { oneLine } from '../error.ts';
import { unchanged } from '../output.ts';
import { disableUser, enableUser, endSessions, resetMfa } from '../users/change.ts';
import { deleteUser, exportUser, revokeToken } from '../users/lifecycle.ts';
import { showUser } from '../users/show.ts';
import { accountText } from '../users/text.ts';
import type { Choose } from './choose.ts';
import { mailBoxOf } from './secrets.ts';

const USER = 'id, or primary or verified e-mail address, of the account';

/** `users show`, `disable`, `enable`, `end-sessions`, `reset-mfa`, `revoke-token`, `export`, `delete` */
export function addUsers(program: Command, choose: Choose): void {
  const users = program
    .command('users')
    .description(
      'accounts: show, disable, enable, end sessions, reset MFA, revoke personal access tokens, export, delete',
    );
  users
    .command('show')
    .description(
      'show an account: addresses, memberships, live sessions, factors, personal access tokens and API tokens it created',
    )
    .argument('<user>', USER)
    .action((user, _, command) =>
      choose(
        command,
        async ({ database }) => {
          const json = await showUser(database, user);
          return { json, text: accountText(json) };
        },
        'reads',
      ),
    );
  users
    .command('disable')
    .description(
      'disable an account: it cannot sign in, be invited or reset its password, and its sessions end; API tokens it created stay valid',
    )
    .argument('<user>', USER)
    .action((user, _, command) =>
      choose(command, async ({ database, log }) => {
        const json = await disableUser(database, log, user);
        const text = json.changed
          ? `${json.email} is now disabled, ${ended(json.sessions_ended)}`
          : `${json.email} is disabled${unchanged(json)}`;
        return { json, text };
      }),
    );
  users
    .command('enable')
    .description('enable a disabled account, so that it can sign in again')
    .argument('<user>', USER)
    .action((user, _, command) =>
      choose(command, async ({ database, log }) => {
        const json = await enableUser(database, log, user);
        return { json, text: `${json.email} is ${json.changed ? 'now ' : ''}enabled${unchanged(json)}` };
      }),
    );
  users
    .command('end-sessions')
    .description('end the sessions of an account and its logins that wait for a second factor')
    .argument('<user>', USER)
    .action((user, _, command) =>
      choose(command, async ({ database, log }) => {
        const json = await endSessions(database, log, user);
        return { json, text: `${json.email}: ${ended(json.sessions_ended)}` };
      }),
    );
  users
    .command('reset-mfa')
    .description(
      "remove an account's MFA devices and recovery codes and disable MFA, for an owner who has lost them; the owner gets a mail",
    )
    .argument('<user>', USER)
    .action((user, _, command) =>
      choose(command, async ({ database, config, log }) => {
        const json = await resetMfa(database, log, user, await mailBoxOf(config));
        const text = json.changed
          ? `${json.email}: MFA is now off, MFA devices removed: ${json.factors_removed}; a mail says so`
          : `${json.email}: MFA is off${unchanged(json)}`;
        return { json, text };
      }),
    );
  users
    .command('revoke-token')
    .description('revoke a personal access token of an account; `users show` lists them')
    .argument('<user>', USER)
    .argument('<token>', 'id of the token')
    .action((user, token, _, command) =>
      choose(command, async ({ database, log }) => {
        const json = await revokeToken(database, log, user, token);
        return { json, text: `${json.email}: the token "${oneLine(json.name)}" is revoked` };
      }),
    );
  users
    .command('export')
    .description(
      'print everything that is stored about an account as JSON, from all organizations, former ones too; no secrets',
    )
    .argument('<user>', USER)
    .action((user, _, command) =>
      choose(command, async ({ database, config, tracks, log }) => {
        const box = await mailBoxOf(config);
        const json = await exportUser(database, log, user, { box, version: tracks.org.length });
        return { json, text: JSON.stringify(json, null, 2) };
      }),
    );
  users
    .command('delete')
    .description(
      'delete an account with its personal data; decisions, comments and API tokens stay in their organizations without the name; refused for the only owner of an organization; cannot be undone',
    )
    .argument('<user>', USER)
    .requiredOption('--confirm <email>', 'the primary e-mail address of the account')
    .action((user, { confirm }, command) =>
      choose(command, async ({ database, config, tracks, log }) => {
        const box = await mailBoxOf(config);
        const json = await deleteUser(database, log, { user, confirm }, { box, config, tracks });
        const rest = json.erased
          ? 'erased from all organizations; servers look through them again in 10 minutes'
          : 'servers erase the rest';
        return { json, text: `${json.email} is deleted: ${rest}` };
      }),
    );
}

const ended = (count: number) => `${count} ${count === 1 ? 'session' : 'sessions'} ended`;
