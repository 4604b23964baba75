import { sql } from 'drizzle-orm';
import { noteErasures } from '../../../db/accounts/erasure.ts';
import * as restoring from '../../../db/backup/restore.ts';
import { SHARED_TABLES, type SharedTableName } from '../../../db/backup/sections.ts';
import type { SqlClient } from '../../../db/statements.ts';
import { AdminError } from '../error.ts';
import { existingUsers } from './members.ts';
import type { RestorePlan } from './plan.ts';
import type { VerifiedBackup } from './verify.ts';

/** Persons without an account in one organization, besides its members. More are no sign of a real backup. */
const MOST_ERASED = 5_000;
/** Anybody can write any ids into a text. */
const MOST_MENTIONED = 20_000;

/** The rows to insert into `shared`. */
export interface SharedPlan
  extends Pick<RestorePlan, 'orgId' | 'slug' | 'isCopy' | 'members' | 'ownerId' | 'migrations'> {
  backup: Omit<VerifiedBackup, 'header' | 'rows' | 'sha256'> & { header: { schema_version: number } };
}

/** Inserts the rows of `shared`, except for the last table of the file. */
export async function restoreShared(
  tx: SqlClient,
  plan: SharedPlan,
): Promise<{ domainLeftOut: string | null }> {
  const { backup, orgId, slug, isCopy, members, ownerId, migrations } = plan;
  const insert = async <Row extends object>(name: SharedTableName, rows: Row[], values = {}) => {
    if (rows.length === 0) return;
    const target = await restoring.sharedTarget(tx, name, orgId, values);
    const cells = rows.map((row) => SHARED_TABLES[name].columns.map((column) => row[column as keyof Row]));
    await restoring.insertRows(
      tx,
      target,
      cells.map((one) => JSON.stringify(one)),
    );
  };
  const [stored] = backup.orgs;
  if (!stored) throw new AdminError('the backup has no organization');
  const domain = isCopy ? null : stored.custom_domain;
  const isTaken = domain !== null && (await restoring.holderOfDomain(tx, domain)) !== undefined;
  const creator = stored.created_by && (members.ids.get(stored.created_by) ?? stored.created_by);
  const hasCreator = creator !== null && (await existingUsers(tx, [creator])).has(creator);
  if (!isCopy) await restoring.releaseSlug(tx, slug);
  const org = {
    ...stored,
    slug,
    custom_domain: isTaken ? null : domain,
    created_by: hasCreator ? creator : null,
  };
  await insert('orgs', [org], { schema_version: sql`${migrations.length}::int` });
  if (await restoring.isReserved(tx, slug)) throw new AdminError(`the slug ${slug} was taken meanwhile`);
  await insert('org_migrations', [...backup.org_migrations, ...pendingSteps(plan)]);
  if (!isCopy) {
    const former = backup.reserved_slugs.map((reserved) => reserved.slug);
    const free = await restoring.freeSlugs(tx, former);
    const slugs = backup.reserved_slugs.filter((reserved) => free.has(reserved.slug));
    for (const reserved of slugs) {
      await restoring.releaseSlug(tx, reserved.slug);
      await restoring.setSlug(tx, orgId, reserved.slug);
    }
    await restoring.setSlug(tx, orgId, slug);
    await insert('reserved_slugs', slugs);
  }
  await insert('retention', backup.retention);
  await insert('project_purges', backup.project_purges);
  await insert('report_imports', backup.report_imports);
  const rows = members.restored.map(({ account, ...member }) => ({
    ...member,
    user_id: account,
    ...(account === ownerId && {
      role: 'owner' as const,
      project_access: 'all' as const,
      suspended_at: null,
    }),
  }));
  if (ownerId !== undefined && !rows.some(({ user_id }) => user_id === ownerId)) {
    const at = new Date().toISOString();
    const owner = { user_id: ownerId, role: 'owner' as const, invited_email: null, email: null };
    rows.push({ ...owner, confirmed_at: at, created_at: at, suspended_at: null, project_access: 'all' });
  }
  await insert('memberships', rows);
  return { domainLeftOut: isTaken ? domain : null };
}

function pendingSteps({ backup, migrations }: SharedPlan) {
  const applied_at = new Date().toISOString();
  const { schema_version: version } = backup.header;
  return migrations.slice(version).map(({ name, hash }) => ({ name, hash, applied_at }));
}

/**
 * Notes the persons in the data of the organization without an account here: they were deleted since the backup, or
 * have not registered on this server. Servers erase them from the organization, as after the deletion of an account.
 */
export async function eraseMissing(tx: SqlClient, { backup, orgId, members }: SharedPlan): Promise<number> {
  const former = backup.memberships.map(({ user_id }) => user_id).filter((id) => !members.ids.has(id));
  const isFormer = new Set(former);
  const named = await restoring.personsOf(tx, orgId, MOST_ERASED + former.length + 1);
  const others = await withoutAccount(
    tx,
    [...new Set(named)].filter((id) => !isFormer.has(id)),
  );
  if (others.length > MOST_ERASED)
    throw new AdminError(`the backup names more than ${MOST_ERASED} persons who have no account here`);
  const mentioned = await withoutAccount(tx, await restoring.mentionedOf(tx, orgId, MOST_MENTIONED));
  const missing = new Set([
    ...(await withoutAccount(tx, former)),
    ...others,
    ...mentioned.slice(0, MOST_ERASED),
  ]);
  // Members of a move may have got accounts here after their rows were copied: these have their former ids, but nobody has left.
  for (const id of members.ids.keys()) missing.delete(id);
  await noteErasures(tx, [...missing], orgId);
  return missing.size;
}

async function withoutAccount(tx: SqlClient, ids: readonly string[]): Promise<string[]> {
  const existing = await existingUsers(tx, ids);
  return ids.filter((id) => !existing.has(id));
}
