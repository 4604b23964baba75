import { WEBHOOKS } from '../../lib/destinations/groups.ts';
import { deleteDestinationEndpoint } from '../../lib/http/destinations/delete.ts';
import { factsOf } from '../../lib/webhooks/notices.ts';

export const deleteWebhook = deleteDestinationEndpoint(
  WEBHOOKS,
  'Its deliveries are deleted, too. Pending ones are not sent.',
  factsOf,
);
