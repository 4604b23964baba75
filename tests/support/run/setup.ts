import { afterAll, afterEach } from 'vitest';
import { endSuite, endTest } from './suite.ts';
import { scaleWaits } from './waits.ts';

scaleWaits();
// Runs for each suite: of the modules that suites import, which are loaded once, hooks would be of the first alone.
afterEach(endTest);
afterAll(endSuite);
