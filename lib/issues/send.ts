import type { Database } from '../../db/client.ts';
import type { LeasedDestination } from '../../db/events/destinations.ts';
import { type IssueOutcome, type IssueWork, recordIssue } from '../../db/issues/work.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { IssueState } from '../../db/schema/values.ts';
import type { Config } from '../config/config.ts';
import { orgUrl } from '../members/invitations.ts';
import { draftOf } from '../trackers/draft.ts';
import { type Tracker, TrackerError } from '../trackers/tracker.ts';

/** The organization whose issue it is, and its database. */
export interface IssueContext {
  sql: Database['sql'];
  tables: OrgTables;
  config: Pick<Config, 'publicUrl' | 'baseDomain'>;
  clock: () => Date;
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
      const isRecorded = await record({ state: 'open', created });
      if (!isRecorded) await record({ state: 'failed', outcome: TAKEN });
      return `The issue ${created.key} was created.`;
    }
    if (work.url === null || tracker.keyOf(work.url) !== work.key) {
      await record({ state: 'gone', outcome: ELSEWHERE });
      return ELSEWHERE;
    }
    const { isClosed, status } = await tracker.read(work.key);
    await record({ state: isClosed ? 'closed' : 'open', status });
    return `The issue ${work.key} was read.`;
  } catch (error) {
    if (error instanceof TrackerError)
      await record({ state: stateAfter(error, work, context), outcome: error.message });
    throw error;
  }
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

/** Whether a tracker may do later what it does not do now. */
export const isRetried = ({ kind }: TrackerError): boolean => kind === 'later' || kind === 'unauthorized';

function stateAfter(
  error: TrackerError,
  { key, state }: IssueWork,
  { clock, giveUpAt }: IssueContext,
): IssueState {
  if (isRetried(error)) return state === 'pending' && clock() >= giveUpAt ? 'failed' : state;
  return key === null ? 'failed' : 'gone';
}
