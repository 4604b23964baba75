import type { LeasedDestination } from '../../db/events/destinations.ts';
import type { StoredEvent } from '../../db/events/read.ts';
import { ISSUE_REQUESTED } from '../../db/issues/claim.ts';
import { type IssueWork, readWork, requestAffected } from '../../db/issues/work.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { isRetried } from '../issues/follow.ts';
import { doWork, type IssueContext } from '../issues/send.ts';
import { createTracker } from '../trackers/create.ts';
import { settingsOf } from '../trackers/settings.ts';
import { type Tracker, TrackerError } from '../trackers/tracker.ts';
import type { Answered, DeliverOptions } from './deliver.ts';

/** The time of all requests of one delivery. */
const WORK_MS = 60_000;
/** An event of this age is not tried again. */
export const GIVE_UP_MS = 3 * 24 * 60 * 60 * 1_000;

/** The services that work at a tracker needs. */
export interface TrackerOptions extends DeliverOptions {
  database: Pick<IssueContext, 'sql'>;
  config: IssueContext['config'];
  nextId: IssueContext['nextId'];
  tablesOf: (org: { id: string }) => OrgTables;
}

/** The content of a delivery to a tracker: the work for an issue, or a test of the access. */
export type TrackerTask = { work: IssueWork; since: string } | { test: string };

/**
 * Reads the work of an event. A change of findings requests that of each of their issues.
 * @returns undefined if there is none: the issue is of another integration, or was removed
 */
export async function trackerTask(
  { database, tablesOf, clock }: TrackerOptions,
  destination: LeasedDestination,
  event: StoredEvent,
): Promise<TrackerTask | undefined> {
  const { subject, type, at } = event;
  const tables = tablesOf(destination.org);
  if (type !== ISSUE_REQUESTED) {
    await requestAffected(database.sql, tables, destination.id, event, clock());
    return undefined;
  }
  const work = subject === null ? undefined : await readWork(database.sql, tables, subject, destination);
  return work && { work, since: at };
}

/**
 * Asks a tracker once. Its failures are in the result.
 * @throws Error if the signal is aborted
 */
export async function tellTracker(
  { outbound, clock, database, config, nextId, tablesOf }: TrackerOptions,
  destination: LeasedDestination,
  token: string,
  task: TrackerTask,
  signal: AbortSignal,
): Promise<Answered> {
  const at = clock();
  const started = performance.now();
  const durationMs = () => performance.now() - started;
  const timeout = AbortSignal.timeout(WORK_MS);
  const tools = { outbound, clock, signal: AbortSignal.any([signal, timeout]) };
  try {
    const tracker = createTracker(settingsOf(destination, token), tools);
    if ('test' in task) return { at, durationMs: durationMs(), status: 200, response: await check(tracker) };
    const context = {
      ...{ sql: database.sql, tables: tablesOf(destination.org), config, clock, nextId },
      giveUpAt: new Date(Date.parse(task.since) + GIVE_UP_MS),
    };
    const response = await doWork(context, destination, task.work, tracker);
    return { at, durationMs: durationMs(), status: 200, response };
  } catch (error) {
    if (signal.aborted) throw error;
    if (timeout.aborted)
      return { at, durationMs: durationMs(), error: 'The tracker took longer than 60 seconds.' };
    if (!(error instanceof TrackerError)) throw error;
    const { kind, message, status, retryAt } = error;
    return {
      ...{ at, durationMs: durationMs(), status, error: message },
      retryAfter: retryAt && (retryAt.getTime() - at.getTime()) / 1_000,
      isFinal: !isRetried(error),
      isUnauthorized: kind === 'unauthorized',
    };
  }
}

/** Checks the access. @returns what it has found */
async function check(tracker: Tracker): Promise<string> {
  const { tokenExpiresAt } = await tracker.check();
  return tokenExpiresAt
    ? `The access is sufficient. The token expires on ${tokenExpiresAt.toISOString().slice(0, 10)}.`
    : 'The access is sufficient.';
}
