import { cookie } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { changeSettings } from '../../../lib/notifications/change.ts';
import {
  changed,
  NotificationChanges,
  Notifications,
  toNotifications,
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
      'Fields that are left out stay. The mails go to the primary address once it is verified, about the projects that you reach in all of your organizations. Mails that have collected notices for a time that no kind has any more are not sent.',
    request: { body: NotificationChanges },
    responses: { 200: { description: 'The settings.', result: Notifications } },
  },
  async ({ body, db, now, services, user }) => {
    const { settings, orgIds } = await changeSettings(db, user.id, now, (before) => changed(before, body));
    for (const orgId of orgIds) services.outbox.followed(orgId);
    return ok(toNotifications(settings));
  },
);
