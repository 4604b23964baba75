import { citusBinDir } from './tests/support/citus/cluster.ts';
import { SUITES } from './tests/support/citus/suites.ts';
import { again } from './tests/support/run/again.ts';

// On a Citus cluster. Without one (SVC_TEST_CITUS), the suites of the cluster itself are reported as skipped.
export default again({
  include: ['tests/citus/**/*.test.ts', ...(citusBinDir() ? SUITES : [])],
  globalSetup: ['tests/support/citus/setup.ts'],
});
