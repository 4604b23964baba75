import { sql } from 'drizzle-orm';
import {
  type CellName,
  type LeftName,
  type NameInCell,
  readNames,
  writeNames,
} from '../../../db/cells/names.ts';
import { noteCellName } from '../../../db/cells/own-name.ts';
import type { Database } from '../../../db/client.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { orgMoves } from '../../../db/schema/moves.ts';
import { orgs, reservedSlugs } from '../../../db/schema/orgs.ts';
import { run, type SqlClient } from '../../../db/statements.ts';
import { isReservedSlug, ORG_SLUG } from '../../orgs/slugs.ts';
import { writeFileSafely } from '../backup/output-file.ts';
import { isDomain } from '../domains.ts';
import { AdminError, EXIT, oneLine } from '../error.ts';

const CELL = /^[a-z0-9][a-z0-9-]{0,49}$/;

/** @throws AdminError if a text cannot be the name of a cell */
export function requireCell(name: unknown, how: string): string {
  if (typeof name === 'string' && CELL.test(name)) return name;
  throw new AdminError(`${how}: lower-case letters, digits and hyphens`, EXIT.usage);
}

/** Where the name of this cell comes from. */
export const OWN_CELL = 'SVC_CELL is the name of this cell';

/** Of slugs that were those of purged organizations. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Every slug, former slug and custom domain of a cell, also those that lead nowhere any more. */
export async function namesOf(client: SqlClient, orgId?: string): Promise<CellName[]> {
  const only = orgId === undefined ? sql`true` : sql`org_id = ${orgId}::uuid`;
  const rows = await run<CellName>(
    client,
    sql`select name, org_id as "orgId" from (
        select slug as name, id as org_id from ${orgs}
        union all select custom_domain, id from ${orgs} where custom_domain is not null
        union all select slug, coalesce(org_id, ${NOBODY}::uuid) from ${reservedSlugs}
          where org_id is not null or moved_to is null
      ) n where ${only}`,
  );
  return [...rows];
}

/** The slugs and domains that have left a cell with their organizations, but for those that other organizations have now. */
async function leftNames(client: SqlClient): Promise<LeftName[]> {
  const rows = await run<LeftName>(
    client,
    sql`select slug as name, moved_to as cell,
        exists (select from ${orgMoves} m where m.cell = r.moved_to and m.rows is not null) as pending
      from ${reservedSlugs} r where org_id is null and moved_to is not null
        and not exists (select from ${orgs} o where o.slug = r.slug or o.custom_domain = r.slug)`,
  );
  return [...rows];
}

/** Writes what a cell has into the directory. */
export async function syncCell(
  database: Pick<Database, 'sql'>,
  cell: string,
  inDirectory: <T>(use: (directory: Sql) => Promise<T>) => Promise<T>,
) {
  const noted = await noteCellName(database.sql, cell);
  if (noted !== cell)
    throw new AdminError(
      `this is the database of the cell ${oneLine(noted)} (setting "cell"), not of ${cell}`,
    );
  const present = await namesOf(database.sql);
  const left = await leftNames(database.sql);
  const { elsewhere, ...counts } = await inDirectory((directory) =>
    writeNames(directory, cell, { present, left }),
  );
  const isOfPurged = new Set(present.filter(({ orgId }) => orgId === NOBODY).map(({ name }) => name));
  // Nobody asks for the slug of a purged organization.
  const conflicts = elsewhere.filter(({ name }) => !isOfPurged.has(name));
  return { cell, names: present.length, ...counts, conflicts };
}

/**
 * Writes a map of HAProxy from hosts to cells.
 * @param options.fallback the cell of hosts that are not in the map, whose names are left out
 * @param options.own hosts of the deployment itself, which no organization has
 */
export async function writeMap(
  directory: SqlClient,
  file: string,
  { baseDomain, fallback, own }: { baseDomain: string; fallback: string | undefined; own: readonly string[] },
): Promise<{ file: string; hosts: number; left_out: number }> {
  let hosts = 0;
  let leftOut = 0;
  await writeFileSafely(file, true, async (output) => {
    for await (const page of readNames(directory)) {
      const usable = page.filter((one) => isUsable(one, baseDomain) && !own.includes(one.name));
      leftOut += page.length - usable.length;
      const lines = usable
        .filter(({ cell }) => cell !== fallback)
        .map(({ name, cell }) => `${hostOf(name, baseDomain)} ${cell}\n`);
      hosts += lines.length;
      await output.write(lines.join(''));
    }
  });
  return { file, hosts, left_out: leftOut };
}

/**
 * Whether a row of the directory makes one line of the map, for a host of its own. A cell can take any name that is free, and each line
 * decides where the requests of somebody go.
 */
const isUsable = ({ name, cell }: NameInCell, baseDomain: string): boolean =>
  CELL.test(cell) &&
  (name.includes('.')
    ? isDomain(name) && name !== baseDomain && !name.endsWith(`.${baseDomain}`)
    : ORG_SLUG.test(name) && !isReservedSlug(name));

/** The host of a slug or custom domain. */
export const hostOf = (name: string, baseDomain: string): string =>
  name.includes('.') ? name : `${name}.${baseDomain}`;
