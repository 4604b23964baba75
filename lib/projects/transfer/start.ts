import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { isUniqueViolation, retried } from '../../../db/errors.ts';
import { readDeletion } from '../../../db/orgs/deletion.ts';
import { markArriving, markLeaving } from '../../../db/projects/transfer/marks.ts';
import { noteTransfer } from '../../../db/projects/transfer/transfers.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { isActive } from '../../members/fields.ts';
import type { Org } from '../../orgs/directory.ts';
import { type Actor, mailControl } from '../../orgs/notices.ts';
import { lockOrg } from '../../quotas.ts';

/**
 * `changed`: the project has another slug, is deleted or is being transferred. `taken`: a project of the target has the slug.
 * `denied`: the user is not an owner of both organizations. `deleted`: one of them is deleted.
 */
export type Refused = 'changed' | 'taken' | 'denied' | 'deleted';

/** A requested transfer. */
export interface Wish {
  source: Org;
  target: Org;
  project: { id: string; slug: string };
  /** The slug in the target. */
  slug: string;
  /** A user must own both organizations. */
  actor: Actor;
  /** Checks the quota of the target. Throws if it is exhausted. */
  requireRoom?(tx: Tx): Promise<void>;
}

class Refusal extends Error {
  readonly why: Refused;
  constructor(why: Refused) {
    super(why);
    this.why = why;
  }
}

/**
 * Notes the transfer of a project and marks it in both organizations: from then on it takes no writes. Both organizations are locked, so
 * that neither is deleted and no owner is removed meanwhile. All owners of the source get a mail.
 * @returns how many findings it has, or why the transfer is refused
 */
export async function startTransfer(db: Db, wish: Wish): Promise<number | Refused> {
  try {
    return await retried(() => db.transaction((tx) => start(tx, wish)));
  } catch (error) {
    if (error instanceof Refusal) return error.why;
    // A project with this id, of which the target has a row.
    if (isUniqueViolation(error)) return 'taken';
    throw error;
  }
}

async function start(tx: Tx, { source, target, project, slug, actor, requireRoom }: Wish): Promise<number> {
  const ids = [source.id, target.id].toSorted();
  // In one order, as everywhere.
  for (const id of ids) await lockOrg(tx, id);
  for (const id of ids) if (await readDeletion(tx, id)) throw new Refusal('deleted');
  if (actor.user && !(await ownsAll(tx, actor.user.id, ids))) throw new Refusal('denied');
  await requireRoom?.(tx);
  const marked = await markLeaving(tx, source.tables, { projectId: project.id, confirmed: project.slug });
  if (!marked) throw new Refusal('changed');
  if (!(await markArriving(tx, target.tables, { ...marked, id: project.id, slug })))
    throw new Refusal('taken');
  const findings = await countFindings(tx, source, project.id);
  const transfer = { projectId: project.id, sourceId: source.id, targetId: target.id };
  if (!(await noteTransfer(tx, transfer, { slug, findings, now: actor.now }))) throw new Refusal('changed');
  await mailControl(tx, actor, source.id, 'transfer_started', [
    ['Project', project.slug],
    ['To', target.slug],
  ]);
  return findings;
}

async function ownsAll(tx: Tx, userId: string, orgIds: readonly string[]): Promise<boolean> {
  const rows = await tx
    .select({ orgId: memberships.orgId })
    .from(memberships)
    .where(
      and(
        eq(memberships.userId, userId),
        inArray(memberships.orgId, [...orgIds]),
        eq(memberships.role, 'owner'),
        isActive,
      ),
    );
  return rows.length === orgIds.length;
}

async function countFindings(tx: Tx, { tables }: Org, projectId: string): Promise<number> {
  const { findingCounts: c } = tables;
  const [row] = await tx
    .select({ findings: sql<number>`coalesce(sum(${c.count}), 0)::int` })
    .from(c)
    .where(eq(c.projectId, projectId));
  return row?.findings ?? 0;
}
