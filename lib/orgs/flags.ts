import { and, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { enableOrgFlag, readOrgFlags } from '../../db/orgs/flags.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { ApiError } from '../errors.ts';
import { inOrgQuota } from '../quotas.ts';
import type { Org } from './directory.ts';
import { type Actor, mailControl } from './notices.ts';

/** The flags that have an effect (API contract, "Org feature flag"). */
export type OrgFlag = 'org_wide_tokens' | 'require_mfa';

/** The row of a flag, when it is active: provisioned by an administrator and enabled by the owner. */
const activeFlag = (db: Db, { orgFlags: t }: OrgTables, flag: OrgFlag) =>
  db
    .select({ name: t.name })
    .from(t)
    .where(and(eq(t.name, flag), t.provisioned, t.enabled));

/** Whether a flag is active. */
export async function isOrgFlagActive(db: Db, tables: OrgTables, flag: OrgFlag): Promise<boolean> {
  return (await activeFlag(db, tables, flag)).length > 0;
}

/** @throws ApiError `permission_error/feature_disabled` when the flag is not active */
export async function requireOrgFlag(db: Db, { tables }: Org, flag: OrgFlag): Promise<void> {
  if (!(await isOrgFlagActive(db, tables, flag))) throw new ApiError('permission_error/feature_disabled');
}

/**
 * Switches a flag on or off, and tells all owners if that changed it.
 * @returns whether there is such a flag, and it is provisioned
 */
export const switchOrgFlag = (
  context: { db: Db; org: Org },
  actor: Actor,
  name: string,
  enabled: boolean,
): Promise<boolean> =>
  inOrgQuota(context, async (tx, tables) => {
    const before = (await readOrgFlags(tx, tables)).find((flag) => flag.name === name);
    if (!(await enableOrgFlag(tx, tables, name, enabled))) return false;
    if (before?.enabled !== enabled)
      await mailControl(tx, actor, context.org.id, 'setting_changed', [
        ['Setting', name],
        ['Now', enabled ? 'on' : 'off'],
      ]);
    return true;
  });
