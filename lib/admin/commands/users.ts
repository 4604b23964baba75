import type { Command } from 'commander';
import { oneLine } from '../error.ts';
import { table, unchanged, yesNo } from '../output.ts';
import { disableUser, enableUser, endSessions, resetMfa } from '../users/change.ts';
import { type AccountDetails, showUser } from '../users/show.ts';
import type { Choose } from './choose.ts';
import { mailBoxOf } from './secrets.ts';

const USER = 'id, or primary or verified e-mail address, of the account';

/** `users show`, `disable`, `enable`, `end-sessions`, `reset-mfa` */
export function addUsers(program: Command, choose: Choose): void {
  const users = program
    .command('users')
    .description('accounts: show, disable, enable, end sessions, reset MFA');
  users
    .command('show')
    .description('show an account: addresses, memberships, live sessions, factors and API tokens it created')
    .argument('<user>', USER)
    .action((user, _, command) =>
      choose(command, async ({ database }) => {
        const json = await showUser(database, user);
        return { json, text: accountText(json) };
      }),
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
}

const ended = (count: number) => `${count} ${count === 1 ? 'session' : 'sessions'} ended`;

const timeText = (at: Date | null) => at?.toISOString() ?? '-';

function accountText(account: AccountDetails): string {
  const facts = [
    ['id', account.id],
    ['name', account.name],
    ['e-mail', account.email],
    ['created', timeText(account.created_at)],
    ['disabled', timeText(account.disabled_at)],
    ['password', account.has_password ? 'set' : 'none: invited, not activated'],
    ['MFA', account.mfa_enabled ? `on, ${account.recovery_codes} recovery codes left` : 'off'],
  ] as const;
  const sections: [string, string[], string[][]][] = [
    [
      'E-mail addresses',
      ['ADDRESS', 'PRIMARY', 'VERIFIED'],
      account.emails.map((row) => [row.email, yesNo(row.is_primary), timeText(row.verified_at)]),
    ],
    [
      'Memberships',
      ['ORGANIZATION', 'ROLE', 'INVITED AS', 'SINCE'],
      account.memberships.map((row) => [row.org, row.role, row.invited_email ?? '-', timeText(row.since)]),
    ],
    [
      'Live sessions',
      ['ID', 'ADDRESS', 'BROWSER', 'SYSTEM', 'CREATED', 'LAST ACTIVE'],
      account.sessions.map((row) => [
        ...[row.id, row.ip_address, row.browser, row.os],
        ...[timeText(row.created_at), timeText(row.last_active_at)],
      ]),
    ],
    [
      'MFA devices',
      ['ID', 'TYPE', 'NAME', 'VERIFIED', 'LAST USED'],
      account.factors.map((row) => [
        ...[row.id, row.type, row.name, yesNo(row.verified), timeText(row.last_used_at)],
      ]),
    ],
    [
      'Active API tokens it made, in these organizations',
      ['ORGANIZATION', 'ID', 'NAME', 'PROJECT', 'LAST USED', 'EXPIRES'],
      account.tokens.map((row) => [
        ...[row.org, row.id, row.name, row.project_id ?? '-'],
        ...[timeText(row.last_used), timeText(row.expires_at)],
      ]),
    ],
  ];
  return [
    facts.map(([key, value]) => `${key.padEnd(10)}${oneLine(value)}`).join('\n'),
    ...sections.map(([title, headline, rows]) =>
      rows.length > 0 ? `${title}\n${table(headline, rows)}` : `${title}: none`,
    ),
  ].join('\n\n');
}
