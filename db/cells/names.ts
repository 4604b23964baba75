import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * One row for each slug, former slug and custom domain of all cells. Domains have a dot, and slugs have none. The primary key decides
 * between two cells that want the same name at the same instant.
 */

const names = sql.raw('cells.names');

/** The organization of a slug that belongs to none, because its organization was purged or has not arrived. */
const nobody = sql.raw(`'00000000-0000-0000-0000-000000000000'::uuid`);

/** A name that leads to an organization. */
export interface CellName {
  name: string;
  orgId: string;
}

/** Creates the directory, if it does not exist. */
export async function prepareDirectory(client: Sql): Promise<void> {
  await client.begin(async (tx) => {
    await run(tx, sql`select pg_advisory_xact_lock(7310482593106647218)`);
    await run(tx, sql`create schema if not exists cells`);
    await run(
      tx,
      sql`create table if not exists ${names} (
        name text primary key, cell text not null, org_id uuid not null, since timestamptz not null default now())`,
    );
    await run(tx, sql`create index if not exists names_cell on ${names} (cell)`);
    await run(tx, sql`create index if not exists names_org on ${names} (org_id)`);
  });
}

/**
 * Takes a name for an organization of a cell, before the cell gives it to the organization. A name that the cell has taken before may be
 * left from an attempt that failed: the cell itself knows whether an organization has it.
 * @returns false if another cell has it
 */
export async function claimName(
  client: SqlClient,
  cell: string,
  { name, orgId }: CellName,
): Promise<boolean> {
  const claimed = await run(
    client,
    sql`insert into ${names} as n (name, cell, org_id) values (${name}, ${cell}, ${orgId}::uuid)
      on conflict (name) do update set org_id = excluded.org_id, since = now() where n.cell = excluded.cell returning 1`,
  );
  return claimed.length > 0;
}

/** Lets the names of an organization lead to another cell. */
export async function moveNames(client: SqlClient, cell: string, moved: readonly CellName[]): Promise<void> {
  await run(
    client,
    sql`insert into ${names} as n (name, cell, org_id)
      select name, ${cell}, "orgId" from json_to_recordset(${JSON.stringify(moved)}::text::json) as m(name text, "orgId" uuid)
      on conflict (name) do update set cell = excluded.cell, since = now() where n.org_id = excluded.org_id`,
  );
}

/** A name of a cell whose organization has moved away. */
export interface LeftName {
  name: string;
  /** Where it is now. */
  cell: string;
  /** Whether that cell may not serve it yet. */
  pending: boolean;
}

/** A claim that is younger may be of an organization that is still being created. */
const SETTLED = sql.raw(`interval '1 hour'`);

/**
 * Writes the names that a cell has, hands over those that have left with an organization, and removes others of it. A name that is on its
 * way stays: otherwise a third cell could give it to somebody else.
 * @returns those that another cell has for another organization: requests for them reach that one
 */
export async function writeNames(
  client: Sql,
  cell: string,
  { present, left }: { present: readonly CellName[]; left: readonly LeftName[] },
): Promise<{ added: number; removed: number; conflicts: (CellName & { cell: string })[] }> {
  const rows = sql`json_to_recordset(${JSON.stringify(present)}::text::json) as p(name text, "orgId" uuid)`;
  const away = sql`json_to_recordset(${JSON.stringify(left)}::text::json) as l(name text, cell text, pending boolean)`;
  return await client.begin(async (tx) => {
    // Of two that claimed a name at the same instant, one has it.
    const written = await run<{ added: boolean }>(
      tx,
      sql`insert into ${names} as n (name, cell, org_id)
        select distinct on (name) name, ${cell}, "orgId" from ${rows} order by name, "orgId" desc
        on conflict (name) do update set org_id = excluded.org_id
          where n.cell = excluded.cell and n.org_id <> excluded.org_id
        returning (xmax = 0) as added`,
    );
    const added = written.filter((row) => row.added);
    await run(
      tx,
      sql`update ${names} n set cell = l.cell, since = now() from ${away}
        where n.name = l.name and n.cell = ${cell} and not l.pending`,
    );
    const removed = await run(
      tx,
      sql`delete from ${names} n where n.cell = ${cell} and n.since < now() - ${SETTLED}
        and not exists (select from ${rows} where p.name = n.name)
        and not exists (select from ${away} where l.name = n.name) returning 1`,
    );
    const conflicts = await run<CellName & { cell: string }>(
      tx,
      sql`select n.name, n.cell, n.org_id as "orgId" from ${names} n join ${rows} on p.name = n.name
        where n.cell <> ${cell} and n.org_id <> p."orgId" and p."orgId" <> ${nobody} order by n.name`,
    );
    return { added: added.length, removed: removed.length, conflicts: [...conflicts] };
  });
}

/** All names with their cells, in pages. */
export async function* readNames(client: SqlClient): AsyncGenerator<{ name: string; cell: string }[]> {
  const size = 10_000;
  for (let after = ''; ; ) {
    const page = await run<{ name: string; cell: string }>(
      client,
      sql`select name, cell from ${names} where name > ${after} order by name limit ${size}`,
    );
    if (page.length > 0) yield [...page];
    const last = page.at(-1);
    if (!last || page.length < size) return;
    after = last.name;
  }
}
