import { WEBHOOKS } from '../../../lib/destinations/groups.ts';
import { redeliverEndpoint } from '../../../lib/http/destinations/redeliver.ts';

export const redeliver = redeliverEndpoint(WEBHOOKS, ', with the same `webhook-id`');
