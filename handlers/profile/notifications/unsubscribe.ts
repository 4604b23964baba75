import { invalidLink } from '../../../lib/accounts/mailed-tokens.ts';
import { publicFromAnySite } from '../../../lib/http/access.ts';
import { done } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { changeSettings } from '../../../lib/notifications/change.ts';
import { UNSUBSCRIBE_PATH, unsubscribeQuery, without } from '../../../lib/notifications/unsubscribe.ts';

export const unsubscribe = endpoint(
  {
    method: 'post',
    path: UNSUBSCRIBE_PATH,
    // Providers of mails and their web pages send it. The token is what it takes.
    access: publicFromAnySite,
    audit: { none: 'account' },
    tag: 'Profile: notifications',
    summary: 'Switch mails off by the link in one',
    description:
      'One-click unsubscribe (RFC 8058): mail programs send it with the body `List-Unsubscribe=One-Click`, which is ignored. Switches off the kinds that the mail was about, or all kinds of a daily or weekly mail. It can be repeated.',
    request: { query: unsubscribeQuery },
    foreignQuery: true,
    responses: { 200: { description: 'The mails are off.', message: 'These mails are switched off.' } },
    errors: ['validation_error/field_invalid'],
  },
  async ({ db, now, query: { token }, services }) => {
    const link = services.unsubscribeTokens.verify(token);
    if (!link) throw invalidLink();
    await changeSettings(db, link.userId, now, (before) => without(before, link.what));
    return done();
  },
);
