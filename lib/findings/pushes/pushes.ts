import type { Db } from '../../../db/client.ts';
import type { PushOutcome } from '../../../db/findings/ingest/push.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { isLeaving } from '../../../db/projects/transfer/marks.ts';
import { arrayText } from '../../../db/statements.ts';
import { ApiError } from '../../errors.ts';
import type { Org } from '../../orgs/directory.ts';
import { requireProject } from '../../projects/projects.ts';
import { beingTransferred } from '../../projects/transfer/guard.ts';

/** The error of a refused push. @param projectId its project */
export async function refusalError(
  { db, org, sql }: { db: Db; org: Org; sql: Sql },
  kind: Exclude<PushOutcome['kind'], 'written' | 'failed'>,
  projectId: string,
): Promise<ApiError> {
  if (kind === 'no_scan') {
    const isMoving = await isLeaving(sql, org.tables, { projectIds: arrayText([projectId]) });
    if (isMoving) return beingTransferred();
    return new ApiError('resource_error/not_found', { message: 'The scan is not registered.' });
  }
  try {
    await requireProject(db, org, projectId);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return new ApiError('validation_error/field_invalid', {
    details: [{ field: 'scan_id', message: 'is a scan of another project' }],
  });
}
