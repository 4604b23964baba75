import { isMissingTable, isUnavailable } from '../../db/errors.ts';
import type { LeasedDestination } from '../../db/events/destinations.ts';
import type { StoredEvent } from '../../db/events/read.ts';
import { type IssueWork, readWork, requestAffected } from '../../db/issues/work.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { ISSUE_REQUESTED } from '../../db/schema/values.ts';
import { isRetried } from '../issues/follow.ts';
import { doWork, type IssueContext, recordFailure } from '../issues/send.ts';
import type { Logger } from '../logger.ts';
import { createTracker } from '../trackers/create.ts';
import { settingsOf } from '../trackers/settings.ts';
import { type Tracker, TrackerError } from '../trackers/tracker.ts';
import type { Answered, DeliverOptions } from './deliver.ts';

/** The time of all requests of one delivery. */
const WORK_MS = 60_000;

/** The services that work at a tracker needs. */
export interface TrackerOptions extends DeliverOptions {
  database: Pick<IssueContext, 'sql'>;
  config: IssueContext['config'];
  nextId: IssueContext['nextId'];
  tablesOf: (org: { id: string }) => OrgTables;
  log: Logger;
}

/** The content of a delivery to a tracker: the work for an issue, or a test of the access. */
export type TrackerTask = { work: IssueWork; at: Date } | { test: string };

/**
 * Reads the work of an event. A change of findings requests that of each of their issues.
 * @returns undefined if there is none: the issue is of another integration, or was removed
 */
export async function trackerTask(
  { database, tablesOf, clock }: TrackerOptions,
  destination: LeasedDestination,
  event: StoredEvent,
): Promise<TrackerTask | undefined> {
  const { subject, type } = event;
  const at = clock();
  const tables = tablesOf(destination.org);
  if (type !== ISSUE_REQUESTED) {
    await requestAffected(database.sql, tables, destination, event, at);
    return undefined;
  }
  const work = subject === null ? undefined : await readWork(database.sql, tables, subject, destination);
  return work && { work, at };
}

const contextOf = (
  { database, tablesOf, config, clock, nextId }: TrackerOptions,
  { org }: LeasedDestination,
  at: Date,
): IssueContext => ({ sql: database.sql, tables: tablesOf(org), config, clock, nextId, at });

/** Notes at the issue why its tracker cannot be asked now. */
export async function noteUntold(
  options: TrackerOptions,
  destination: LeasedDestination,
  task: TrackerTask,
  reason: string,
): Promise<void> {
  if ('test' in task) return;
  const context = contextOf(options, destination, task.at);
  await recordFailure(context, task.work, new TrackerError('later', reason));
}

const UNEXPECTED = 'The service failed unexpectedly. The operator finds the reason in its log.';

/**
 * Asks a tracker once. Its failures are in the result.
 * @throws Error if the signal is aborted, or the database is out of reach
 */
export async function tellTracker(
  options: TrackerOptions,
  destination: LeasedDestination,
  token: string,
  task: TrackerTask,
  signal: AbortSignal,
): Promise<Answered> {
  const { outbound, clock, log } = options;
  const at = clock();
  const started = performance.now();
  const timeout = AbortSignal.timeout(WORK_MS);
  const tools = { outbound, clock, signal: AbortSignal.any([signal, timeout]) };
  const answered = (answer: Partial<Answered>) => ({
    ...{ at, durationMs: performance.now() - started },
    ...answer,
  });

  function failureOf(error: unknown): TrackerError {
    if (signal.aborted || isUnavailable(error) || isMissingTable(error)) throw error;
    if (error instanceof TrackerError) return error;
    if (timeout.aborted) return new TrackerError('later', 'The tracker took longer than 60 seconds.');
    // It must not keep the next deliveries waiting.
    log.error('an issue tracker was not told', { destination: destination.id, error });
    return new TrackerError('unexpected', UNEXPECTED);
  }

  try {
    const tracker = createTracker(settingsOf(destination, token), tools);
    if ('test' in task) return answered({ status: 200, response: await check(tracker) });
    const context = contextOf(options, destination, task.at);
    const response = await doWork(context, destination, task.work, tracker).catch(async (error) => {
      const failure = failureOf(error);
      await recordFailure(context, task.work, failure);
      throw failure;
    });
    return answered({ status: 200, response });
  } catch (error) {
    const failure = failureOf(error);
    const { kind, message, status, retryAt } = failure;
    return answered({
      ...{ status, error: message },
      retryAfter: retryAt && (retryAt.getTime() - at.getTime()) / 1_000,
      isFinal: !isRetried(failure),
      isUnauthorized: kind === 'unauthorized',
    });
  }
}

/** Checks the access. @returns what it has found */
async function check(tracker: Tracker): Promise<string> {
  const { tokenExpiresAt } = await tracker.check();
  return tokenExpiresAt
    ? `The access is sufficient. The token expires on ${tokenExpiresAt.toISOString().slice(0, 10)}.`
    : 'The access is sufficient.';
}
