import { INTEGRATIONS } from '../../lib/destinations/groups.ts';
import { testEndpoint } from '../../lib/http/destinations/test.ts';

export const testIntegration = testEndpoint(
  INTEGRATIONS,
  'Sends a message that says the service is connected, without data, once.',
);
