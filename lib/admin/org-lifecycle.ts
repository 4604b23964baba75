import type { Migration } from '../../db/migrations/migrate.ts';
import { readDeletion, releaseOrgPurge, SETTLED_MS, takeOrgPurgeOf } from '../../db/orgs/deletion.ts';
import { purgeOrg } from '../../db/orgs/purge.ts';
import { deleteOrganization, restoreOrganization } from '../orgs/deletion.ts';
import { renameOrg as renameOrganization } from '../orgs/rename.ts';
import { isReservedSlug, ORG_SLUG } from '../orgs/slugs.ts';
import { logOperatorEvent } from '../security-events.ts';
import { requireConfirmed } from './confirm.ts';
import { AdminError, EXIT, oneLine } from './error.ts';
import { type ControlCall, operator, operatorActor } from './operator.ts';
import { readyOrg } from './org-tables.ts';
import { findOrg } from './orgs.ts';

export interface OrgChange {
  org_id: string;
  org: string;
  name: string;
}

/** Deletes an organization. Its owners get a mail and can restore it. */
export async function deleteOrg(
  call: ControlCall,
  orgName: string,
  confirm: string | undefined,
  migrations: readonly Migration[],
): Promise<OrgChange & { purge_at: Date }> {
  const { db } = call.database;
  const org = await readyOrg(call.database, orgName, migrations);
  requireConfirmed(confirm, org.slug, `this deletes the organization ${org.slug}`);
  const outcome = await deleteOrganization(db, org, org.slug, operatorActor(call));
  if (outcome.kind === 'deleted_before') throw new AdminError(`${org.slug} is deleted already`);
  if (outcome.kind === 'in_transfer')
    throw new AdminError(`a project is being transferred to or from ${org.slug}: see "projects transfers"`);
  if (outcome.kind === 'changed') throw new AdminError(`${org.slug} was changed meanwhile`);
  const { purgeAt: purge_at } = outcome;
  logOperatorEvent(call.log, 'org_deleted', { org: org.slug, operator: operator(), purge_at });
  return { ...changeOf(org), purge_at };
}

/** Restores a deleted organization. Its owners get a mail. */
export async function restoreOrg(
  call: ControlCall,
  orgName: string,
  migrations: readonly Migration[],
): Promise<OrgChange> {
  const org = await readyOrg(call.database, orgName, migrations);
  const { kind } = await restoreOrganization(call.database.db, org, operatorActor(call));
  if (kind !== 'restored') throw new AdminError(`${org.slug} is not deleted, or is being purged`);
  logOperatorEvent(call.log, 'org_restored', { org: org.slug, operator: operator() });
  return changeOf(org);
}

/** Removes a deleted organization for good before its time. */
export async function purgeOrgNow(
  { database: { db, sql }, log }: Pick<ControlCall, 'database' | 'log'>,
  orgName: string,
  confirm: string | undefined,
): Promise<OrgChange> {
  const org = await findOrg(db, orgName);
  const deletion = await readDeletion(db, org.id);
  if (!deletion) throw new AdminError(`${org.slug} is not deleted: run "orgs delete" first`);
  requireConfirmed(confirm, org.slug, `this removes ${org.slug} for good`);
  const now = new Date();
  const waitMs = deletion.deletedAt.getTime() + SETTLED_MS - now.getTime();
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1_000);
    throw new AdminError(`servers may still know ${org.slug}: try again in ${seconds} s`);
  }
  if (!(await takeOrgPurgeOf(sql, org.id, now)))
    throw new AdminError(`another process is purging ${org.slug}, or it was restored`);
  try {
    await purgeOrg(sql, org.id, now);
  } catch (error) {
    await releaseOrgPurge(sql, org.id, 0);
    throw error;
  }
  logOperatorEvent(log, 'org_purged', { org: org.slug, org_id: org.id, operator: operator() });
  return changeOf(org);
}

/** Changes the name or the slug of an organization. The former slug still leads to it. */
export async function renameOrg(
  call: ControlCall,
  orgName: string,
  { name, slug }: { name?: string | undefined; slug?: string | undefined },
): Promise<OrgChange & { previous: { name: string; slug: string }; changed: boolean }> {
  const newName = name?.trim();
  if (newName === undefined && slug === undefined)
    throw new AdminError('nothing to change: give --name or --slug', EXIT.usage);
  if (newName !== undefined && (newName.length === 0 || newName.length > 200))
    throw new AdminError('a name has 1 to 200 characters', EXIT.usage);
  if (slug !== undefined && (!ORG_SLUG.test(slug) || isReservedSlug(slug)))
    throw new AdminError(
      `"${oneLine(slug)}" cannot be a slug: 3 to 50 lower-case letters, digits and hyphens`,
      EXIT.usage,
    );
  const { db } = call.database;
  const { id } = await findOrg(db, orgName);
  const before = await renameOrganization(
    db,
    id,
    { name: newName, slug, now: new Date() },
    { read: (tx) => findOrg(tx, id), actor: () => operatorActor(call) },
  );
  if (!before) throw new AdminError(`the slug ${slug} is taken, or reserved for another organization`);
  const after = { ...before, name: newName ?? before.name, slug: slug ?? before.slug };
  for (const setting of ['name', 'slug'] as const)
    if (before[setting] !== after[setting]) {
      const fields = { org: before.slug, setting, to: after[setting], operator: operator() };
      logOperatorEvent(call.log, 'org_setting_changed', fields);
    }
  const changed = before.name !== after.name || before.slug !== after.slug;
  return { ...changeOf(after), previous: { name: before.name, slug: before.slug }, changed };
}

const changeOf = ({ id, slug, name }: { id: string; slug: string; name: string }): OrgChange => ({
  org_id: id,
  org: slug,
  name,
});
