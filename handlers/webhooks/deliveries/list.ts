import { WEBHOOKS } from '../../../lib/destinations/groups.ts';
import { deliveriesEndpoint } from '../../../lib/http/destinations/deliveries.ts';

export const listWebhookDeliveries = deliveriesEndpoint(WEBHOOKS);
