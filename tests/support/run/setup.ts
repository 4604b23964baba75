import { afterAll, afterEach } from 'vitest';
import { endSuite, endTest } from './suite.ts';
import { scaleWaits } from './waits.ts';

scaleWaits();
// This file runs for each suite. Modules that suites import are loaded once, so their hooks would apply to the first only.
afterEach(endTest);
afterAll(endSuite);
