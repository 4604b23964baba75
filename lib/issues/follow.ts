import type { LeasedDestination } from '../../db/events/destinations.ts';
import type { IssueFindingRow, IssueOutcome, IssueWork } from '../../db/issues/work.ts';
import type { StoredTracker } from '../../db/schema/destinations.ts';
import type { Block } from '../trackers/blocks.ts';
import { type Tracker, TrackerError, type TrackerIssue } from '../trackers/tracker.ts';

/* The rules of an integration: what happens to an issue when its findings change, and the other way round. */

type Outcome = Omit<IssueOutcome, 'at'>;
type OfTracker = Pick<LeasedDestination, 'tracker'>;

const says = (text: string): Block[] => [{ kind: 'text', text }];
const stateOf = (isClosed: boolean): 'closed' | 'open' => (isClosed ? 'closed' : 'open');
const onResolved = ({ tracker }: OfTracker) => tracker?.on_resolved ?? 'close';
const isUnresolved = ({ resolved }: IssueFindingRow): boolean => !resolved;

/** Whether a tracker may do later what it does not do now. */
export const isRetried = ({ kind }: TrackerError): boolean => kind === 'later' || kind === 'unauthorized';

/** Whether closing an issue changes its findings: not if the service has only linked it, because strangers may close their own issues. */
const countsClosing = ({ tracker }: OfTracker, { tried_at }: Pick<IssueWork, 'tried_at'>): boolean =>
  tracker?.on_closed === 'fixed' && tried_at !== null;

/** The findings that a closing at the tracker sets to `fixed`. None, unless somebody has closed the issue there since it was read. */
export function closedFindings(
  destination: OfTracker,
  work: IssueWork,
  { isCompleted }: TrackerIssue,
): IssueFindingRow[] {
  const isNew = isCompleted && work.state === 'open' && work.told === 'open';
  return isNew && countsClosing(destination, work) ? work.findings.filter(isUnresolved) : [];
}

const OPEN: Record<NonNullable<StoredTracker['on_resolved']>, string> = {
  close:
    'The issue is open at the tracker. The service closes an issue only when its last finding becomes resolved.',
  comment: 'The integration comments on issues of resolved findings, and closes none.',
  nothing: 'The integration does nothing when findings are resolved or regress.',
};
const CLOSED = 'The issue is closed at the tracker. That changes no finding.';
const CLOSED_BEFORE =
  'The issue is closed at the tracker. Its findings are set to fixed only when it is closed again.';
const REOPENED = ' It is opened again only when a scan reports a regression.';
const NOT_REOPENED = ' The integration opens no issue again.';

/** Why an issue and its findings differ. It follows from their states alone, so it is shown as long as they differ. */
export function differenceOf(
  destination: OfTracker,
  work: Pick<IssueWork, 'resolved' | 'tried_at'>,
  { isClosed, isCompleted }: Pick<TrackerIssue, 'isClosed' | 'isCompleted'>,
): string | undefined {
  if (isClosed === work.resolved) return undefined;
  const rule = onResolved(destination);
  if (!isClosed) return OPEN[rule];
  const reason = isCompleted && countsClosing(destination, work) ? CLOSED_BEFORE : CLOSED;
  return reason + (rule === 'close' ? REOPENED : NOT_REOPENED);
}

/**
 * Tells an issue once that all its findings are resolved, or that one has regressed, by the rule of the integration. It leaves what people
 * do at the tracker afterwards: an issue that somebody opens or closes there stays so.
 * @param noteClosing records that this service closes it, so that nobody else seems to have done it
 */
export async function follow(
  destination: OfTracker,
  work: IssueWork & { key: string },
  tracker: Tracker,
  found: TrackerIssue,
  noteClosing: () => Promise<unknown>,
): Promise<Outcome> {
  const { key, resolved, dismissed, regressed } = work;
  const { isClosed, status } = found;
  const rule = onResolved(destination);
  const told = resolved ? 'resolved' : 'open';
  const stays: Outcome = {
    ...{ state: stateOf(isClosed), status, told },
    outcome: differenceOf(destination, work, found),
  };
  const isNews = regressed || (resolved && toldBefore(work, isClosed) !== 'resolved');
  if (!isNews || rule === 'nothing') return stays;
  const comment = () => tracker.comment(key, says(resolved ? RESOLVED : REGRESSED));
  try {
    if (rule === 'comment') {
      await comment();
      return stays;
    }
    // Also after a crash behind the change: it is not commented again.
    if (isClosed === resolved) return stays;
    if (resolved) await noteClosing();
    const changed = await (resolved
      ? tracker.close(key, dismissed ? 'dismissed' : 'fixed')
      : tracker.reopen(key));
    // The change counts without its comment.
    const outcome = await comment().then(
      () => undefined,
      (error) => {
        if (error instanceof TrackerError) return `The comment was not added. ${error.message}`;
        throw error;
      },
    );
    return { state: stateOf(resolved), status: changed, told, outcome };
  } catch (error) {
    if (!(error instanceof TrackerError) || isRetried(error)) throw error;
    // A change that is refused is asked for again the next day.
    return { ...stays, told: undefined, outcome: error.message };
  }
}

/** The state that was told last. An issue that was being closed when the process died, or the answer was lost, was closed by this service. */
const toldBefore = ({ told }: IssueWork, isClosed: boolean): 'open' | 'resolved' =>
  told === 'closing' ? (isClosed ? 'resolved' : 'open') : told;

const RESOLVED = 'All findings of this issue are resolved.';
const REGRESSED = 'A scan has reported a finding of this issue again.';
