import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../../app/api.ts';
import type { OrgSession } from '../../../app/session.ts';
import { type Finding, findingKey } from '../../finding-queries.ts';
import { isSettled } from '../../views.ts';

export type Issue = Schemas['Issue'];
export type IssueIntegration = Schemas['IssueIntegration'];

/** The intervals at which the page reads issues again that the service works on now, and those that wait for their tracker. */
const WORKING_MS = 3_000;
const WAITING_MS = 30_000;
/** The time after a request or a change of a finding within which the service usually follows it at the tracker. */
const FOLLOWED_MS = 60_000;

/** The time until the issues of a finding may have changed; false if no change is expected. */
function nextRead(issues: readonly Issue[], { status, regressed, updated_at }: Finding): number | false {
  const changedAt = Date.parse(updated_at);
  const isRecent = (at: number) => Date.now() - at < FOLLOWED_MS;
  const expected = isSettled(status) && !regressed ? 'open' : 'closed';
  // The reason says why both sides differ, and may be one of before the change.
  const isFollowed = ({ state, reason, checked_at = '' }: Issue) =>
    reason === undefined ? state === expected : !(Date.parse(checked_at) >= changedAt);
  const pending = issues.filter(({ state }) => state === 'pending');
  const isNew = ({ reason, created_at, checked_at = created_at }: Issue) =>
    reason === undefined && isRecent(Date.parse(checked_at));
  if (pending.some(isNew) || (isRecent(changedAt) && issues.some(isFollowed))) return WORKING_MS;
  return pending.length > 0 && WAITING_MS;
}

export const issuesKey = (org: OrgSession, id: string) => [...findingKey(org, id), 'issues'] as const;

/**
 * The issues of a finding, and the issue trackers that it can get more at.
 * @param finding with it, the issues are read again when they may have changed
 */
export const issuesQuery = (org: OrgSession, id: string, finding?: Finding) =>
  queryOptions({
    queryKey: issuesKey(org, id),
    queryFn: async ({ signal }) =>
      (await org.api.get('/findings/{id}/issues', { params: { path: { id } }, signal })).result,
    refetchInterval: ({ state }) => finding !== undefined && nextRead(state.data?.issues ?? [], finding),
  });
