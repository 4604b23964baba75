import { INTEGRATIONS } from '../../lib/destinations/groups.ts';
import { deleteDestinationEndpoint } from '../../lib/http/destinations/delete.ts';

export const deleteIntegration = deleteDestinationEndpoint(INTEGRATIONS);
