import { SUITES } from './tests/support/edge/suites.ts';
import { again } from './tests/support/run/again.ts';

// Against the worker in workerd.
export default again({
  include: ['tests/edge/**/*.test.ts', ...SUITES],
  globalSetup: ['tests/support/database/postgres.ts', 'tests/support/edge/setup.ts'],
});
