import type { Database } from '../../db/client.ts';
import type { LeasedDestination } from '../../db/events/destinations.ts';
import { type IssueOutcome, type IssueWork, recordIssue } from '../../db/issues/work.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { IssueState } from '../../db/schema/values.ts';
import type { Config } from '../config/config.ts';
import { orgUrl } from '../members/invitations.ts';
import type { Block } from '../trackers/blocks.ts';
import { draftOf } from '../trackers/draft.ts';
import { type Tracker, TrackerError, type TrackerIssue } from '../trackers/tracker.ts';

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
    const found = await tracker.read(work.key);
    const done = await follow(destination, work, tracker, found);
    await record(done);
    return done.outcome ?? `The issue ${work.key} was read.`;
  } catch (error) {
    if (error instanceof TrackerError)
      await record({ state: stateAfter(error, work, context), outcome: error.message });
    throw error;
  }
}

const NOT_REGRESSED =
  'A finding is open again by a decision here. The issue is opened again only when a scan reports a regression.';
const BY_RULE = 'The integration does nothing when findings are resolved or regress.';
const OPEN_HERE = 'The issue is closed at the tracker. That changes no finding.';

const says = (text: string): Block[] => [{ kind: 'text', text }];
const stateOf = (isClosed: boolean): 'closed' | 'open' => (isClosed ? 'closed' : 'open');

/**
 * Tells an issue once that all its findings are resolved, or that one has regressed, by the rule of the integration. It leaves what people
 * do at the tracker afterwards: an issue that somebody opens or closes there stays so.
 */
async function follow(
  { tracker: settings }: LeasedDestination,
  { key, told, resolved, dismissed, regressed }: IssueWork,
  tracker: Tracker,
  { isClosed, status }: TrackerIssue,
): Promise<Omit<IssueOutcome, 'at'>> {
  const rule = settings?.on_resolved ?? 'close';
  const stays = {
    ...{ state: stateOf(isClosed), status },
    ...(isClosed && !resolved && { outcome: OPEN_HERE }),
  } as const;
  if (key === null || resolved === (told === 'resolved')) return stays;
  const now = resolved ? 'resolved' : 'open';
  if (!resolved && !regressed) return { ...stays, told: now, outcome: NOT_REGRESSED };
  if (rule === 'nothing') return { ...stays, told: now, outcome: BY_RULE };
  const changes = rule === 'close' && isClosed !== resolved;
  // Also after a crash behind the change: it is not commented again.
  if (rule === 'close' && !changes) return { state: stateOf(isClosed), status, told: now };
  try {
    if (changes)
      await (resolved ? tracker.close(key, dismissed ? 'dismissed' : 'fixed') : tracker.reopen(key));
    await tracker.comment(key, says(resolved ? RESOLVED : REGRESSED));
    if (!changes) return { ...stays, told: now };
    return { state: stateOf(resolved), status: (await tracker.read(key)).status, told: now };
  } catch (error) {
    if (!(error instanceof TrackerError) || isRetried(error)) throw error;
    return { ...stays, outcome: error.message };
  }
}

const RESOLVED = 'All findings of this issue are resolved.';
const REGRESSED = 'A scan has reported a finding of this issue again.';

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
