import { WEBHOOKS } from '../../lib/destinations/groups.ts';
import { deleteDestinationEndpoint } from '../../lib/http/destinations/delete.ts';

export const deleteWebhook = deleteDestinationEndpoint(WEBHOOKS);
