import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { Notifications, readSettings, toNotifications } from '../../../lib/notifications/settings.ts';

export const getNotifications = endpoint(
  {
    method: 'get',
    path: '/profile/notifications',
    access: cookie,
    tag: 'Profile: notifications',
    summary: 'Get which mails about findings you have chosen',
    description: 'Everything is `off`, in UTC and at 8 hours, until you change it.',
    responses: { 200: { description: 'The settings.', result: Notifications } },
  },
  async ({ db, user }) => ok(toNotifications(await readSettings(db, user.id))),
);
