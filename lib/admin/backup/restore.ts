import { resolve } from 'node:path';
import type { Column } from '../../../db/backup/columns.ts';
import * as restoring from '../../../db/backup/restore.ts';
import type { Database } from '../../../db/client.ts';
import { isUniqueViolation, sqlState } from '../../../db/errors.ts';
import { type Miscount, recountTables } from '../../../db/findings/counts/recount.ts';
import { createIds } from '../../../db/ids.ts';
import type { TransactionSql } from '../../../db/pool/query.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { isReservedSlug, ORG_SLUG } from '../../orgs/slugs.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { AdminError, EXIT, oneLine, reasonOf } from '../error.ts';
import { operator } from '../operator.ts';
import type { BackupCall } from './backup.ts';
import type { BackupKey } from './keys.ts';
import { findMembers, findOwner, type SkippedMember } from './members.ts';
import type { RestorePlan } from './plan.ts';
import { restoreRows } from './rows.ts';
import { eraseMissing, restoreShared } from './shared.ts';
import { verifyBackup } from './verify.ts';

export interface RestoreOptions {
  key: BackupKey;
  /** The slug of a new organization. Unset: the organization of the backup, which must not exist. */
  as?: string | undefined;
  /** An account that becomes an owner. */
  owner?: string | undefined;
  withoutTokens?: boolean | undefined;
}

export interface RestoreResult {
  org_id: string;
  org: string;
  file: string;
  backup_created_at: string;
  /** By section. */
  rows: Record<string, number>;
  members: { restored: number; skipped: SkippedMember[] };
  /** Ids of deleted accounts in the backup, which servers erase from the organization. */
  erased_accounts: number;
  /** Set if another organization has the custom domain. */
  custom_domain_left_out: string | null;
  tokens: 'restored' | 'revoked';
  /** Migrations that the backup did not have. */
  migrated: string[];
  /** Counts of the backup that were wrong. */
  corrected: Miscount[];
}

/** Restores an organization from a file, in one transaction. Servers may run. */
export async function restoreBackup(
  { database, log, migrations }: BackupCall,
  path: string,
  options: RestoreOptions,
): Promise<RestoreResult> {
  const file = path === '-' ? '/dev/stdin' : resolve(path);
  const { key, as, owner } = options;
  if (as !== undefined) requireSlug(as, EXIT.usage);
  const backup = await verifyBackup(file, key, migrations);
  const isCopy = as !== undefined;
  const slug = as ?? backup.header.org.slug;
  requireSlug(slug);
  const members = await findMembers(database.sql, backup.memberships);
  const ownerId = owner === undefined ? undefined : await findOwner(database, owner);
  if (ownerId === undefined && !members.restored.some(({ role }) => role === 'owner'))
    throw new AdminError(
      'no owner of the organization has an account here: let one register and verify the address, or name an account with --owner',
    );
  const plan: RestorePlan = {
    ...{ backup, file, key, slug, isCopy, members, ownerId, migrations },
    orgId: isCopy ? createIds(() => new Date())().id : backup.header.org.id,
    revokeTokens: options.withoutTokens ?? false,
  };
  await requireNoObstacle(database, plan);
  const result = await database.sql
    .begin((tx) => restore(tx, plan))
    .catch((error) => {
      throw toAdminError(plan, error);
    });
  const fields = { org: slug, org_id: plan.orgId, backup_of: backup.header.created_at, operator: operator() };
  logOperatorEvent(log, 'org_restored_from_backup', fields);
  return result;
}

async function restore(tx: TransactionSql, plan: RestorePlan): Promise<RestoreResult> {
  const { backup, orgId, slug, migrations } = plan;
  const { schema_version: version } = backup.header;
  await restoring.lockRestore(tx, orgId, slug);
  await requireNoObstacle({ sql: tx }, plan);
  const applied = migrations.slice(0, version);
  const pending = migrations.slice(version);
  const schema = await restoring.planSchema(tx, orgId, applied);
  await restoring.runAll(tx, schema.tables);
  const columns: Map<string, Column[]> = await restoring.emptyTables(tx, orgId);
  let domainLeftOut: string | null = null;
  let erased = 0;
  await restoreRows(tx, plan, columns, async () => {
    await restoring.runAll(tx, schema.afterRows);
    await restoring.runAll(tx, await restoring.stepsOf(tx, orgId, pending));
    await restoring.resetState(tx, orgId, { revoke: plan.revokeTokens });
    ({ domainLeftOut } = await restoreShared(tx, plan));
    erased = await eraseMissing(tx, plan);
  });
  const corrected = await recountTables(tx, orgId);
  return {
    ...{ org_id: orgId, org: slug, file: plan.file, backup_created_at: backup.header.created_at },
    rows: backup.rows,
    members: { restored: plan.members.restored.length, skipped: plan.members.skipped },
    erased_accounts: erased,
    custom_domain_left_out: domainLeftOut,
    tokens: plan.revokeTokens ? 'revoked' : 'restored',
    migrated: pending.map(({ name }) => name),
    corrected,
  };
}

function requireSlug(slug: string, exitCode?: number): void {
  if (ORG_SLUG.test(slug) && !isReservedSlug(slug)) return;
  throw new AdminError(
    `"${oneLine(slug)}" cannot be a slug: 3 to 50 lower-case letters, digits and hyphens`,
    exitCode,
  );
}

async function requireNoObstacle(
  { sql: client }: Pick<Database, 'sql'> | { sql: TransactionSql },
  plan: RestorePlan,
) {
  const { orgId, slug, isCopy } = plan;
  const obstacle = await restoring.findObstacle(client, { orgId, slug, isOriginal: !isCopy });
  if (obstacle === undefined) return;
  throw new AdminError(
    {
      'organization exists': `the organization ${slug} (${orgId}) exists: restore it as another one with --as <slug>, or delete and purge it first`,
      'schema exists': `the schema ${orgSchemaName(orgId)} exists without an organization: drop it first`,
      'slug taken': `the slug ${slug} is taken: choose another one with --as <slug>`,
      'slug reserved': `the slug ${slug} is reserved for another organization: choose another one with --as <slug>`,
    }[obstacle],
  );
}

const LOCK_TIMEOUT = '55P03';

/** Errors of the data, which name no row: the operator cannot do anything about one. */
function toAdminError({ slug, file }: RestorePlan, error: unknown): unknown {
  if (error instanceof AdminError) return error;
  const state = sqlState(error);
  if (state === LOCK_TIMEOUT) return new AdminError(`another process is restoring ${slug}: try again later`);
  if (isUniqueViolation(error) && /orgs_slug/.test(reasonOf(error)))
    return new AdminError(`the slug ${slug} was taken meanwhile`);
  // Class 22: invalid values, class 23: constraints.
  if (state && /^(?:22|23)/.test(state))
    return new AdminError(
      `${oneLine(file)} has rows that the database refuses, nothing was restored: ${reasonOf(error)}`,
    );
  return error;
}
