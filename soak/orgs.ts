import { scenario } from '../tests/support/scenario/scene.ts';
import { buildNextVersion } from './support/next-version.ts';
import { crashWhileMigrating } from './support/orgs/crash.ts';
import { createOrgs } from './support/orgs/create.ts';
import { openFleet } from './support/orgs/fleet.ts';
import { migrateMany } from './support/orgs/migrate.ts';
import { startWithMany } from './support/orgs/start.ts';
import { sweep } from './support/orgs/sweep.ts';

export const orgs = scenario({
  summary:
    'many organizations: created, started with, migrated (also after kill -9, and with one that fails) and read: none is lost, late or expensive',
  options: { n: 1_000 },
  minutes: 60,
  async run(scene, { n }) {
    const entry = await buildNextVersion(scene.site);
    const fleet = await openFleet(scene);
    const made = await createOrgs(fleet, n);
    const started = await startWithMany(fleet);
    const migrated = await migrateMany(fleet, entry);
    const { figures: crashed, steps } = await crashWhileMigrating(fleet, entry);
    const swept = await sweep(fleet, entry, steps);
    return [...made, ...started, ...migrated, ...crashed, ...swept];
  },
});
