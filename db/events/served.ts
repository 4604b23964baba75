import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { orgDeletions, orgs } from '../schema/orgs.ts';

/**
 * Whether the events of an organization are published and delivered: it is not deleted, and its tables have the version that this
 * process knows. The others are left to a later time.
 */
export const isServed = (orgId: SQLWrapper, version: SQLWrapper | number): SQL =>
  sql`(exists (select 1 from ${orgs} o where o.id = ${orgId} and o.schema_version >= ${version}::int)
    and not exists (select 1 from ${orgDeletions} gone where gone.org_id = ${orgId}))`;
