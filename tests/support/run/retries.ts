import { beforeAll, beforeEach } from 'vitest';

/**
 * Prepares what the tests of a suite share, and again before a test is repeated (`SVC_TEST_RETRIES`): the first attempt may
 * have left something that the second one does not expect.
 */
export function beforeAllAndRetries(prepare: () => Promise<void>): void {
  beforeAll(prepare);
  beforeEach(async ({ task }) => {
    if ((task.result?.retryCount ?? 0) > 0) await prepare();
  });
}
