import { fewAtOnce } from '../../../lib/accounts/export/at-once.ts';
import { exportAccount } from '../../../lib/accounts/export/export.ts';
import { AccountExport } from '../../../lib/accounts/export/schema.ts';
import { ApiError } from '../../../lib/errors.ts';
import { freshCookie } from '../../../lib/http/access.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { streamJson } from '../../../lib/http/lists/stream-json.ts';
import { logSecurityEvent } from '../../../lib/http/security-log.ts';

export const exportMe = endpoint(
  {
    method: 'get',
    path: '/auth/me/export',
    access: freshCookie,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Export everything that is stored about the signed-in user',
    description:
      'A stream with `Content-Disposition: attachment`. Has the records of the organizations where the user has access now, and no secrets: hashes of passwords, tokens and codes, and TOTP secrets, are left out. Answers 429 while three others of the account are in progress.',
    responses: { 200: { description: 'The personal data.', result: AccountExport } },
    errors: ['rate_limit_error/exceeded'],
  },
  async (call) => {
    const { now, peer, services, session, user } = call;
    const { config, database, mailBox: box, orgMigrations } = services;
    const options = { database, box, now, version: orgMigrations.length };
    const orgs = { pendingInvitations: config.pendingInvitations, ip: peer.ip, session };
    const parts = fewAtOnce(user.id, exportAccount({ ...options, orgs }, user.id));
    const answer = await streamJson(call, parts, `account-${now.toISOString().slice(0, 10)}.json`);
    // It was deleted since the access check.
    if (!answer) throw new ApiError('auth_error/not_authenticated');
    logSecurityEvent(call, 'account_exported', { account: user.id });
    return answer;
  },
);
