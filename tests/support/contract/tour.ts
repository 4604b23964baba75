import type { endpoints } from '../../../handlers/index.ts';
import { must } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';
import { planAccountTour } from './tour-account.ts';
import { planOrgTour } from './tour-org.ts';
import { createTraveller, type Stop } from './traveller.ts';

/**
 * Calls every endpoint with success, in this order: each call builds on the earlier ones. A new endpoint that is missing
 * here is a compile error. Where the input decides the query, all forms of the query are called.
 */
export function planTour(t: TestApp): Record<keyof typeof endpoints, Stop> {
  const on = createTraveller(t);
  return {
    ...planAccountTour(on),
    ...planOrgTour(on),
    healthz: () => on.api.get('//healthz'),
    readyz: () => on.api.get('//readyz'),
    metrics: () => on.api.get('//metrics'),
    apiDocs: () => on.api.get('/docs'),
    openApiDocument: () => on.api.get('/docs/openapi.yaml'),
    openApiDocumentJson: () => on.api.get('/docs/openapi.json'),
    async undoOrgChange() {
      const body = { confirm: 'mistaken' };
      must(await on.api.delete('/orgs/mistaken', { ...on.asUser(), body }));
      return on.api.post('/auth/undo-org-change', { body: { token: on.made.undoDeletion } });
    },
    undoEmailChange: () => on.api.post('/auth/undo-email-change', { body: { token: on.made.undo } }),
    logout: () => on.api.post('/auth/logout', on.asUser()),
  };
}
