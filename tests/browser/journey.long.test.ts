import { it } from 'vitest';
import { limit } from '../support/run/limits.ts';
import { journey } from './support/journey.ts';
import { describePagesOf } from './support/site.ts';

describePagesOf({ own: true })('a newcomer', (site) => {
  it('gets from registering to the first triaged finding', { timeout: limit(120_000) }, async () => {
    await journey(site);
  });
});
