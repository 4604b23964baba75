import { defineConfig } from 'vitest/config';
import { runOptions } from './tests/support/run/options.ts';

/**
 * `npm run test:quick`: the suites that find the most per second. A suite is listed when it
 * - checks who may do what, what the API answers, or what is stored: a mistake there is a leak, a broken client or lost data;
 * - calls the app in its own process, so that nothing has to be built;
 * - takes less than ten seconds on the reference machine, so that all of them together take less than a minute.
 * Left out are the built server, browsers, svc-agent, the embedded PostgreSQL, fault injection, and thousands
 * of random or hostile inputs. `npm test` and `npm run test:all` run them.
 */
const SUITES = [
  // Permissions.
  'http/access',
  'orgs/isolation',
  'accounts/auth',
  'accounts/accounts',
  'members/members',
  'orgs/orgs',
  'orgs/features',
  'tokens/tokens',
  'accounts/hostile-cookies',
  'http/hostile/hosts',
  // Responses of the API.
  'http/client',
  'findings/dashboard',
  'http/errors',
  'findings/findings',
  'findings/between-scans',
  'http/http',
  'projects/projects',
  'scans/changes',
  'scans/scans',
  'findings/triage',
  'config/plain-connections',
  'config/config',
  'server/logger',
  'http/origin',
  'db/ids',
  'db/batcher',
  'db/frequent',
  'repository/demo',
  // Stored and sent data.
  'findings/ingest',
  'findings/fields',
  'db/resources',
  'mail/mail',
  'server/monitoring',
  'http/read-only',
  // Content of pages.
  'ui/finding',
  'ui/rules',
  'ui/site',
  'ui/styles',
];

const options = runOptions();

export default defineConfig({
  test: {
    ...options,
    provide: { ...options.provide, browser: '' },
    include: SUITES.map((name) => `tests/${name}.test.ts`),
    globalSetup: ['tests/support/database/postgres.ts', 'tests/support/contract/forget.ts'],
  },
});
