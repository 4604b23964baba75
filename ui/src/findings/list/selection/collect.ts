import type { OrgSession } from '../../../app/session.ts';
import { BATCH } from '../../../triage/change-statuses.ts';
import type { FindingFilter } from '../../list-queries.ts';

/**
 * Reads ids and titles of all matching findings.
 * @param onProgress called with the number read and the total
 */
export async function collect(
  { api }: Pick<OrgSession, 'api'>,
  filter: FindingFilter,
  signal: AbortSignal,
  onProgress: (read: number, total: number) => void,
): Promise<{ id: string; title: string }[]> {
  const found = new Map<string, string>();
  for (let page = 1; ; page++) {
    // Oldest first: findings that are pushed meanwhile are added at the end.
    const query = { ...filter, sort: 'created_at', omit: 'description', page, per_page: BATCH } as const;
    const { result, resultInfo } = await api.get('/findings', { params: { query }, signal });
    for (const { id, title } of result) found.set(id, title);
    const total = resultInfo?.total ?? found.size;
    onProgress(Math.min(found.size, total), total);
    if (result.length < BATCH) return Array.from(found, ([id, title]) => ({ id, title }));
  }
}
