import { type DeletionReader, readDeletion } from '../../../db/deletions/list.ts';
import { OtherNumber } from '../../../db/deletions/start.ts';
import type { SearchLimits } from '../../../db/findings/lists/search.ts';
import { type Deletion, deletionsSince, toDeletion } from '../../deletions/deletion.ts';
import { runInRequest } from '../../deletions/run.ts';
import { ApiError } from '../../errors.ts';
import type { z } from '../../schema.ts';
import type { OrgCall } from '../call.ts';
import { search } from '../lists/search.ts';

/**
 * Starts a deletion, as a search because it selects findings.
 * @throws ApiError `resource_error/conflict` if it selects another number of findings than the user expects
 */
export async function startSelected<T>(
  call: OrgCall,
  start: (limits: SearchLimits) => Promise<T>,
): Promise<T> {
  try {
    return await search(call, start);
  } catch (error) {
    if (!(error instanceof OtherNumber)) throw error;
    throw new ApiError('resource_error/conflict', {
      message: `${error.selected} findings would be deleted, not the expected number. Nothing was deleted.`,
      details: [{ field: 'expected_count', message: `is ${error.selected} by now` }],
    });
  }
}

/** The caller, who sees deletions that can be undone. */
export const readerOf = ({ actor, now, reach }: OrgCall): DeletionReader => ({
  actorId: actor.id,
  since: deletionsSince(now),
  projects: reach?.ids,
});

export const findDeletion = (call: OrgCall, id: string) =>
  readDeletion(call.sql, call.org.tables, id, readerOf(call));

/** Goes on with a deletion while the request lasts. @throws ApiError `resource_error/not_found` if it was purged meanwhile */
export async function continueDeletion(call: OrgCall, id: string): Promise<z.output<typeof Deletion>> {
  await runInRequest(call.services, call.org, id);
  const row = await findDeletion(call, id);
  if (!row) throw new ApiError('resource_error/not_found');
  return toDeletion(row);
}
