import type { OrgSession } from '../../../app/session.ts';
import { BATCH } from '../../../triage/engine/change-statuses.ts';
import type { FindingFilter } from '../../list-queries.ts';
import type { Titled } from './selection.ts';

/**
 * Reads ids, titles and statuses of all matching findings, if one request can change them: then each is changed only if it
 * still has the status that was read.
 * @returns their number if there are more
 */
export async function collect(
  { api }: Pick<OrgSession, 'api'>,
  filter: FindingFilter,
  signal?: AbortSignal,
): Promise<Titled[] | number> {
  const query = { ...filter, omit: 'description', page: 1, per_page: BATCH } as const;
  const { result, resultInfo } = await api.get('/findings', { params: { query }, ...(signal && { signal }) });
  const total = resultInfo?.total ?? result.length;
  return total > BATCH ? total : result.map(({ id, title, status }) => ({ id, title, status }));
}
