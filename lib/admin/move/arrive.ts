import { sql } from 'drizzle-orm';
import { insertRows, runAll, sharedTarget, stepsOf } from '../../../db/backup/restore.ts';
import { FIRST, LAST, SHARED_TABLES } from '../../../db/backup/sections.ts';
import { retried } from '../../../db/errors.ts';
import { differingSignIns, insertAccounts, insertPersonalTokens } from '../../../db/moves/accounts.ts';
import { endCopy } from '../../../db/moves/arrival.ts';
import type { SharedRows } from '../../../db/moves/leave.ts';
import { type Move, readMoves } from '../../../db/moves/moves.ts';
import type { TransactionSql } from '../../../db/pool/query.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { run } from '../../../db/statements.ts';
import { eraseMissing, restoreShared, type SharedPlan } from '../backup/shared.ts';
import type { MemberRow } from '../backup/verify.ts';
import { AdminError } from '../error.ts';
import type { MoveCall } from './call.ts';
import { matchMembers } from './members.ts';
import { NO_OWNER } from './requirements.ts';

export interface Arrived {
  slug: string;
  domain: string | null;
  members: number;
  /** Addresses of members whose account could not be copied. */
  leftOut: (string | null)[];
  /** Addresses of members who sign in there with another password or second factor than here, or only in one of the cells. */
  otherSignIns: (string | null)[];
  /** Erases persons without an account there. Reads all findings, so that members do not wait for it. */
  erase(): Promise<void>;
}

/** Puts an organization into service in the other cell, with the rows of `shared` that were kept. It may have been done before. */
export async function arrive(
  { source, target, migrations, leaveOut }: MoveCall,
  { orgId, copyId, slug: movedSlug, movedAt }: Move,
  left: SharedRows,
): Promise<Arrived> {
  const { tables, personalTokens } = left;
  const [stored] = tables.orgs;
  const memberships = tables.memberships as unknown as MemberRow[];
  const first = Object.fromEntries(FIRST.map((name) => [name, tables[name]]));
  const slug = String(stored?.slug);
  if (slug !== movedSlug) throw new AdminError(`the rows that were kept are not those of ${movedSlug}`);
  const { copies, leftOut, find, isSame } = await matchMembers({ source, target }, memberships);
  const planOf = async (tx: TransactionSql, version = migrations.length): Promise<SharedPlan> => ({
    ...{ orgId, slug, isCopy: false, ownerId: undefined, migrations },
    members: await find(tx),
    backup: { ...(first as never as SharedPlan['backup']), header: { schema_version: version } },
  });
  const domain = stored?.custom_domain ?? null;
  const takeOver = async (tx: TransactionSql) => {
    const ended = await endCopy(tx, orgId, { copyId, domain });
    if (!ended) {
      const { hasLeft } = await requireArrived(tx, orgId, movedAt);
      return { domainLeftOut: null, members: (await planOf(tx)).members.restored.length, hasLeft };
    }
    // Both cells may have been upgraded since the organization left.
    const version = ended.schemaVersion ?? tables.org_migrations.length;
    await runAll(tx, await stepsOf(tx, orgId, migrations.slice(version)));
    await insertAccounts(tx, copies);
    const plan = await planOf(tx, version);
    if (!leaveOut && !plan.members.restored.some(({ role }) => role === 'owner'))
      throw new AdminError(
        `${NO_OWNER}: see "users show" there, or let the organization arrive without an owner with --leave-out`,
      );
    const { domainLeftOut } = await restoreShared(tx, plan);
    const accounts = new Map(plan.members.restored.map(({ user_id, account }) => [user_id, account]));
    // A token acts as its account, also outside of the organization: it needs more proof than a membership.
    const tokens = (personalTokens as { user_id: string }[]).flatMap((token) => {
      const user_id = accounts.get(token.user_id);
      return user_id !== undefined && isSame(token.user_id, user_id)
        ? [{ ...token, user_id, org_id: orgId }]
        : [];
    });
    await insertPersonalTokens(tx, tokens);
    const risks = tables[LAST].map((row) =>
      JSON.stringify(SHARED_TABLES[LAST].columns.map((name) => row[name])),
    );
    if (risks.length > 0) await insertRows(tx, await sharedTarget(tx, LAST, orgId), risks);
    return { domainLeftOut, members: plan.members.restored.length, hasLeft: false };
  };
  const result = await retried(() => target.begin(takeOver));
  const differing = await differingSignIns(
    { source, target },
    (await find(target)).restored.flatMap(({ user_id, account }) => (user_id === account ? [user_id] : [])),
  );
  const otherSignIns = memberships.filter(({ user_id }) => differing.has(user_id));
  return {
    slug,
    domain: result.domainLeftOut === null ? domain : null,
    members: result.members,
    leftOut: leftOut.map(({ email }) => email),
    otherSignIns: otherSignIns.map(({ email }) => email),
    erase: async () => {
      // The next cell has done so.
      if (!result.hasLeft) await target.begin(async (tx) => void (await eraseMissing(tx, await planOf(tx))));
    },
  };
}

/**
 * @param leftHere when it left this cell. It may have left the other one before that, too, by the clocks of both databases
 * @throws AdminError unless the organization has arrived in the other cell, which it may have left since
 */
async function requireArrived(
  tx: TransactionSql,
  orgId: string,
  leftHere: Date | null,
): Promise<{ hasLeft: boolean }> {
  const found = await run(tx, sql`select 1 from ${orgs} where id = ${orgId}::uuid`);
  if (found.length > 0) return { hasLeft: false };
  const [next] = await readMoves(tx, orgId);
  if (leftHere && next?.movedAt && next.startedAt > leftHere) return { hasLeft: true };
  throw new AdminError(
    'the other cell has neither the organization nor its copy: is it the cell that the move began with?',
  );
}
