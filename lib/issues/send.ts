import type { Database } from '../../db/client.ts';
import type { LeasedDestination } from '../../db/events/destinations.ts';
import type { NewId } from '../../db/ids.ts';
import { recordClosing } from '../../db/issues/closed.ts';
import {
  beginCreation,
  type IssueFindingRow,
  type IssueOutcome,
  type IssueWork,
  recordIssue,
} from '../../db/issues/work.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { Config } from '../config/config.ts';
import { commonFields } from '../findings/triage/changes.ts';
import { orgUrl } from '../members/invitations.ts';
import { draftOf } from '../trackers/draft.ts';
import { type Tracker, TrackerError, type TrackerIssue } from '../trackers/tracker.ts';
import { closedFindings, differenceOf, follow, isRetried } from './follow.ts';

/** The organization whose issue it is, and its database. */
export interface IssueContext {
  sql: Database['sql'];
  tables: OrgTables;
  config: Pick<Config, 'publicUrl' | 'baseDomain'>;
  clock: () => Date;
  nextId: () => NewId;
  /** When the issue and its findings were read here, at the latest: later changes are news. */
  at: Date;
}

const ELSEWHERE = 'The integration is for another project of the tracker now.';
const WITHOUT_FINDINGS = 'The integration is not for the projects of its findings any more.';
const TAKEN =
  'The tracker has it, but another entry has its address. Unlink this one, and link the issue by its address.';
const RESOLVED_BEFORE = 'Its findings were resolved before it was created.';
const BEGUN = 'It is being created already.';

const NEW: Pick<TrackerIssue, 'isClosed' | 'isCompleted'> = { isClosed: false, isCompleted: false };

type Outcome = Omit<IssueOutcome, 'at'>;

const record = ({ sql, tables, at }: IssueContext, work: IssueWork, outcome: Outcome): Promise<boolean> =>
  recordIssue(sql, tables, work, { ...outcome, at });

/**
 * Creates an issue that does not exist yet, and reads one that does. Records the outcome.
 * @returns what was done, for the list of deliveries
 * @throws TrackerError, which is to be recorded by {@link recordFailure}
 */
export async function doWork(
  context: IssueContext,
  destination: LeasedDestination,
  work: IssueWork,
  tracker: Tracker,
): Promise<string> {
  const { key, url, state } = work;
  if (work.findings.length === 0) {
    await record(context, work, { state: key === null ? 'failed' : state, outcome: WITHOUT_FINDINGS });
    return WITHOUT_FINDINGS;
  }
  if (key === null) return await create(context, destination, work, tracker);
  if (url === null || tracker.keyOf(url) !== key) {
    await record(context, work, { state: 'gone', outcome: ELSEWHERE });
    return ELSEWHERE;
  }
  const found = await tracker.read(key);
  const closed = closedFindings(destination, work, found);
  if (closed.length > 0) return await fix(context, destination, work, closed, found);
  const { status } = found;
  const noteClosing = () => record(context, work, { state: 'open', status, told: 'closing' });
  const done = await follow(destination, { ...work, key }, tracker, found, noteClosing);
  await record(context, work, done);
  return done.outcome ?? `The issue ${key} was read.`;
}

/** Records why the work for an issue has failed. A pending one stays so as long as the tracker may do it later. */
export async function recordFailure(
  context: IssueContext,
  work: IssueWork,
  error: TrackerError,
): Promise<void> {
  const isLost = !isRetried(error) && error.kind !== 'unexpected';
  const state = isRetried(error) ? work.state : work.key === null ? 'failed' : isLost ? 'gone' : work.state;
  await record(context, work, { state, outcome: error.message });
}

/**
 * Sets findings of an issue that somebody has closed at the tracker to `fixed`, once for each closing.
 * @returns what was done
 */
async function fix(
  { sql, tables, clock, nextId, at }: IssueContext,
  destination: LeasedDestination,
  { id, key, tried_at }: IssueWork,
  findings: readonly IssueFindingRow[],
  found: TrackerIssue,
): Promise<string> {
  const now = clock();
  const fixed = { status: 'fixed', note: `The issue ${key} of ${destination.name} was closed.` } as const;
  const changes = findings.map((finding) => ({ ...fixed, id: finding.id, if_status: finding.status }));
  const outcome = differenceOf(destination, { resolved: false, tried_at }, found) ?? '';
  const changer = () => ({ now, actorId: null, changeId: nextId().id, what: commonFields(changes) });
  const closed = { id, status: found.status, at, outcome, projectIds: destination.projectIds };
  const isNew = await recordClosing(sql, tables, closed, changes, changer);
  return isNew ? `The issue ${key} was closed. Its findings are fixed.` : `The issue ${key} was read.`;
}

/**
 * Creates an issue, unless a former attempt has.
 * @returns what was done
 */
async function create(
  context: IssueContext,
  destination: LeasedDestination,
  work: IssueWork,
  tracker: Tracker,
): Promise<string> {
  const { sql, tables, clock } = context;
  const { id, tried_at, resolved, told } = work;
  const found = tried_at === null ? undefined : await tracker.find(id, new Date(tried_at));
  if (found === undefined && resolved && told === 'open') {
    await record(context, work, { state: 'failed', outcome: RESOLVED_BEFORE });
    return RESOLVED_BEFORE;
  }
  if (found === undefined && !(await beginCreation(sql, tables, work, clock())))
    throw new TrackerError('later', BEGUN);
  const key = found ?? (await tracker.create({ ...draft(context, destination, work), marker: id }));
  const created = { key, url: tracker.urlOf(key) };
  const outcome = differenceOf(destination, work, NEW);
  const isRecorded = await record(context, work, { state: 'open', created, outcome });
  if (!isRecorded) await record(context, work, { state: 'failed', outcome: TAKEN });
  return `The issue ${key} was created.`;
}

function draft({ config }: IssueContext, { org }: LeasedDestination, work: IssueWork) {
  const base = orgUrl(config, org.slug);
  const [first, ...others] = work.findings.map((finding) => ({
    ...finding,
    url: `${base}/findings/${finding.id}`,
  }));
  if (!first) throw new Error('the issue has no findings');
  return draftOf(first, others);
}
