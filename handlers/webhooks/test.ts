import { WEBHOOKS } from '../../lib/destinations/groups.ts';
import { testEndpoint } from '../../lib/http/destinations/test.ts';

export const testWebhook = testEndpoint(
  WEBHOOKS,
  'Sends an event of the type `webhook.test`, whatever `events` has, once.',
);
