import { INTEGRATIONS } from '../../../lib/destinations/groups.ts';
import { redeliverEndpoint } from '../../../lib/http/destinations/redeliver.ts';

export const redeliverToIntegration = redeliverEndpoint(INTEGRATIONS, '');
