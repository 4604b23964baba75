import { it } from 'vitest';
import { limit } from '../support/run/limits.ts';
import { journey } from './support/journey.ts';
import { describePages, startSite } from './support/site.ts';

describePages('a newcomer with organizations at subdomains', () => {
  it('gets from registering to the first triaged finding', { timeout: limit(120_000) }, async () => {
    await journey(await startSite({ baseDomain: 'findings.localhost' }), { hasSubdomains: true });
  });
});
