import { INTEGRATIONS } from '../../lib/destinations/groups.ts';
import { deleteDestinationEndpoint } from '../../lib/http/destinations/delete.ts';
import { factsOf } from '../../lib/integrations/notices.ts';

export const deleteIntegration = deleteDestinationEndpoint(
  INTEGRATIONS,
  'Its deliveries and the links to its issues are deleted, too. Pending ones are not sent, and the issues stay at the tracker.',
  factsOf,
);
