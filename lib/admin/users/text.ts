import { oneLine } from '../error.ts';
import { table, yesNo } from '../output.ts';
import type { AccountDetails } from './show.ts';

const timeText = (at: Date | null) => at?.toISOString() ?? '-';

/** An account as `users show` prints it. */
export function accountText(account: AccountDetails): string {
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
      'Personal access tokens',
      ['ID', 'NAME', 'ORGANIZATION', 'SCOPES', 'LAST USED', 'EXPIRES'],
      account.personal_tokens.map((row) => [
        ...[row.id, row.name, row.org_id ?? 'all', row.scopes.join(', ')],
        ...[timeText(row.last_used), timeText(row.expires_at)],
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
