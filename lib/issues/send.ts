import type { Database } from '../../db/client.ts';
import type { LeasedDestination } from '../../db/events/destinations.ts';
import type { NewId } from '../../db/ids.ts';
import { recordClosing } from '../../db/issues/closed.ts';
import {
  type IssueFindingRow,
  type IssueOutcome,
  type IssueWork,
  recordIssue,
} from '../../db/issues/work.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { IssueState } from '../../db/schema/values.ts';
import type { Config } from '../config/config.ts';
import { commonFields } from '../findings/triage/changes.ts';
import { orgUrl } from '../members/invitations.ts';
import { draftOf } from '../trackers/draft.ts';
import { type Tracker, TrackerError } from '../trackers/tracker.ts';
import { closedFindings, differenceOf, follow, isRetried } from './follow.ts';

/** The organization whose issue it is, and its database. */
export interface IssueContext {
  sql: Database['sql'];
  tables: OrgTables;
  config: Pick<Config, 'publicUrl' | 'baseDomain'>;
  clock: () => Date;
  nextId: () => NewId;
  /** From this time on, a tracker that cannot be reached is not asked again. */
  giveUpAt: Date;
}

const ELSEWHERE = 'The integration is for another project of the tracker now.';
const WITHOUT_FINDINGS = 'The integration is not for the projects of its findings any more.';
const TAKEN = 'Another entry has this issue already.';

/**
 * Creates an issue that does not exist yet, and reads one that does. Records the outcome, also if the tracker does not do it.
 * @returns what was done, for the list of deliveries
 * @throws TrackerError
 */
export async function doWork(
  context: IssueContext,
  destination: LeasedDestination,
  work: IssueWork,
  tracker: Tracker,
): Promise<string> {
  const { sql, tables, clock } = context;
  const record = (outcome: Omit<IssueOutcome, 'at'>) =>
    recordIssue(sql, tables, work.id, { ...outcome, at: clock() });
  try {
    if (work.key === null) {
      const created = await create(context, destination, work, tracker);
      const outcome = differenceOf(destination, work, false);
      const isRecorded = await record({ state: 'open', created, outcome });
      if (!isRecorded) await record({ state: 'failed', outcome: TAKEN });
      return `The issue ${created.key} was created.`;
    }
    if (work.url === null || tracker.keyOf(work.url) !== work.key) {
      await record({ state: 'gone', outcome: ELSEWHERE });
      return ELSEWHERE;
    }
    const found = await tracker.read(work.key);
    const { status } = found;
    const closed = closedFindings(destination, work, found);
    if (closed.length > 0) return await fix(context, destination, work, closed, status);
    const noteClosing = () => record({ state: 'open', status, told: 'closing' });
    const done = await follow(destination, { ...work, key: work.key }, tracker, found, noteClosing);
    await record(done);
    return done.outcome ?? `The issue ${work.key} was read.`;
  } catch (error) {
    if (error instanceof TrackerError)
      await record({ state: stateAfter(error, work, context), outcome: error.message });
    throw error;
  }
}

/**
 * Sets findings of an issue that somebody has closed at the tracker to `fixed`, once for each closing.
 * @returns what was done
 */
async function fix(
  { sql, tables, clock, nextId }: IssueContext,
  destination: LeasedDestination,
  { id, key }: IssueWork,
  findings: readonly IssueFindingRow[],
  status: string,
): Promise<string> {
  const now = clock();
  const fixed = { status: 'fixed', note: `The issue ${key} of ${destination.name} was closed.` } as const;
  const changes = findings.map((finding) => ({ ...fixed, id: finding.id, if_status: finding.status }));
  const outcome = differenceOf(destination, { resolved: false, findings: [] }, true) ?? '';
  const changer = () => ({ now, actorId: null, changeId: nextId().id, what: commonFields(changes) });
  const isNew = await recordClosing(sql, tables, { id, status, at: now, outcome }, changes, changer);
  return isNew ? `The issue ${key} was closed. Its findings are fixed.` : `The issue ${key} was read.`;
}

async function create(
  { config }: IssueContext,
  { org }: LeasedDestination,
  work: IssueWork,
  tracker: Tracker,
): Promise<{ key: string; url: string }> {
  const base = orgUrl(config, org.slug);
  const [first, ...others] = work.findings.map((finding) => ({
    ...finding,
    url: `${base}/findings/${finding.id}`,
  }));
  if (!first) throw new TrackerError('refused', WITHOUT_FINDINGS);
  const draft = draftOf(first, others);
  const key = await tracker.create({ ...draft, marker: work.id, since: new Date(work.created_at) });
  return { key, url: tracker.urlOf(key) };
}

function stateAfter(
  error: TrackerError,
  { key, state }: IssueWork,
  { clock, giveUpAt }: IssueContext,
): IssueState {
  if (isRetried(error)) return state === 'pending' && clock() >= giveUpAt ? 'failed' : state;
  return key === null ? 'failed' : 'gone';
}
