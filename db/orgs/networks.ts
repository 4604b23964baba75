import { type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../client.ts';
import type { OrgTables } from '../schema/org.ts';
import { run } from '../statements.ts';

/** The networks from which an organization may be used, as one value of a row: see {@link networksIn}. */
export const networksOf = ({ allowedNetworks: t }: Pick<OrgTables, 'allowedNetworks'>): SQL<string | null> =>
  sql`(select string_agg(${t.network}, ',' order by ${t.network}) from ${t})`;

/** The networks from which an organization may be used. */
export async function readNetworks(db: Db | Tx, tables: OrgTables): Promise<readonly string[]> {
  const [row] = await run<{ networks: string | null }>(db, sql`select ${networksOf(tables)} as networks`);
  return networksIn(row?.networks ?? null);
}

const ALL: readonly string[] = [];

/** The CIDR blocks of such a value. None: the organization may be used from everywhere. */
export const networksIn = (value: string | null): readonly string[] =>
  value === null ? ALL : value.split(',');
