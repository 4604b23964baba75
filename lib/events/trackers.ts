import type { LeasedDestination } from '../../db/events/destinations.ts';
import { createTracker } from '../trackers/create.ts';
import { settingsOf } from '../trackers/settings.ts';
import { TrackerError } from '../trackers/tracker.ts';
import type { Answered, DeliverOptions } from './deliver.ts';

/**
 * Checks the access to a tracker. Its failures are in the result.
 * @throws Error if the signal is aborted
 */
export async function checkTracker(
  { outbound, clock }: DeliverOptions,
  destination: LeasedDestination,
  token: string,
  signal: AbortSignal,
): Promise<Answered> {
  const at = clock();
  const started = performance.now();
  const durationMs = () => performance.now() - started;
  try {
    const tracker = createTracker(settingsOf(destination, token), { outbound, clock, signal });
    const { tokenExpiresAt } = await tracker.check();
    const response = tokenExpiresAt
      ? `The access is sufficient. The token expires on ${tokenExpiresAt.toISOString().slice(0, 10)}.`
      : 'The access is sufficient.';
    return { at, durationMs: durationMs(), status: 200, response };
  } catch (error) {
    if (signal.aborted || !(error instanceof TrackerError)) throw error;
    return { at, durationMs: durationMs(), status: error.status, error: error.message };
  }
}
