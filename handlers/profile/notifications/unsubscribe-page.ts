import { publicAccess } from '../../../lib/http/access.ts';
import { redirect } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import {
  UNSUBSCRIBE_PAGE,
  UNSUBSCRIBE_PATH,
  unsubscribeQuery,
} from '../../../lib/notifications/unsubscribe.ts';

export const unsubscribePage = endpoint(
  {
    method: 'get',
    path: UNSUBSCRIBE_PATH,
    access: publicAccess,
    tag: 'Profile: notifications',
    summary: 'Open the page that switches mails off',
    description: 'For people who open the address in a browser. It changes nothing.',
    request: { query: unsubscribeQuery },
    foreignQuery: true,
    withoutDatabase: true,
    responses: { 302: { description: 'To the page of the web UI that asks for confirmation.' } },
  },
  async ({ query: { token }, services }) =>
    redirect(`${services.config.publicUrl}${UNSUBSCRIBE_PAGE}?${new URLSearchParams({ token })}`),
);
