import type { Sql } from '../../../db/pool/query.ts';
import { isLeaving } from '../../../db/projects/transfer/marks.ts';
import type { OrgTables } from '../../../db/schema/org.ts';
import { arrayText } from '../../../db/statements.ts';
import { ApiError } from '../../errors.ts';
import { uuid } from '../../schema.ts';
import type { Reaching } from '../reach.ts';

/** The objects that a request changes. `any`: perhaps findings of any project that the caller reaches. */
export type Changed =
  | { project: string }
  | { projects: readonly string[] }
  | { findings: readonly string[] }
  | { scan: string }
  | 'any';

const isId = (text: string) => uuid().safeParse(text).success;

/** The error of a write to a project that moves to another organization. */
export const beingTransferred = () =>
  new ApiError('resource_error/conflict', {
    message: 'The project is being transferred to another organization. It takes no changes until then.',
  });

/**
 * Refuses to change a project that moves to another organization. Not for correctness: the transaction that moves it locks what it has
 * read, and a change would wait for its end. Frequent writes leave out such a project themselves, and ask when they have found nothing.
 * @throws ApiError `resource_error/conflict`
 */
export async function requireStays(
  { org, reach, sql }: Reaching & { org: { tables: OrgTables }; sql: Sql },
  changed: Changed,
): Promise<void> {
  const named = changed === 'any' && reach ? { projectIds: arrayText(reach.ids) } : namedBy(changed);
  if (await isLeaving(sql, org.tables, named)) throw beingTransferred();
}

/** The error of a write that found nothing, because findings do not exist, or are of a project that moves to another organization. */
export const notFoundOrMoving = async (
  { org, sql }: { org: { tables: OrgTables }; sql: Sql },
  findings: readonly string[],
): Promise<ApiError> =>
  (await isLeaving(sql, org.tables, namedBy({ findings })))
    ? beingTransferred()
    : new ApiError('resource_error/not_found');

function namedBy(changed: Changed): Parameters<typeof isLeaving>[2] {
  if (changed === 'any') return { any: true };
  if ('project' in changed) return { projectIds: arrayText([changed.project]) };
  if ('projects' in changed) return { projectIds: arrayText(changed.projects) };
  if ('scan' in changed) return { scanId: changed.scan };
  return { findingIds: arrayText(changed.findings.filter(isId)) };
}
