import { INTEGRATIONS } from '../../../lib/destinations/groups.ts';
import { deliveriesEndpoint } from '../../../lib/http/destinations/deliveries.ts';

export const listIntegrationDeliveries = deliveriesEndpoint(INTEGRATIONS);
