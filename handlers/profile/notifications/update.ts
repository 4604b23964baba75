import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { changeSettings } from '../../../lib/notifications/change.ts';
import { startMails } from '../../../lib/notifications/following.ts';
import {
  changed,
  NotificationChanges,
  Notifications,
  toNotifications,
  wantsAny,
} from '../../../lib/notifications/settings.ts';

export const updateNotifications = endpoint(
  {
    method: 'put',
    path: '/profile/notifications',
    access: cookie,
    audit: { none: 'account' },
    tag: 'Profile: notifications',
    summary: 'Choose which mails about findings you get',
    description:
      'Fields that are left out stay. The mails go to the primary address once it is verified, about the projects that you reach in all of your organizations. Notices that wait for a daily or weekly mail are left out if their kind is off when the mail is sent. A new `hour` or `time_zone` holds from the mail after that one.',
    request: { body: NotificationChanges },
    responses: { 200: { description: 'The settings.', result: Notifications } },
  },
  async ({ body, db, now, services, user }) => {
    const settings = await changeSettings(db, user.id, now, (before) => changed(before, body));
    // A process that dies before this leaves it to the periodic task.
    if (wantsAny(settings))
      for (const orgId of await startMails(db, now, user.id)) services.outbox.followed(orgId);
    return ok(toNotifications(settings));
  },
);
