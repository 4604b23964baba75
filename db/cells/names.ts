import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * One row for each slug, former slug and custom domain of all cells. Domains have a dot, and slugs have none. The primary key decides
 * between two cells that want the same name at the same instant. The functions of `directory.ts` read and write the rows.
 */

/** A name that leads to an organization. */
export interface CellName {
  name: string;
  orgId: string;
}

/** A name and the cell that it leads to. */
export interface NameInCell {
  name: string;
  cell: string;
}

const list = (rows: readonly unknown[]) => sql`${JSON.stringify(rows)}::text::json`;

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
  const [row] = await run<{ claimed: boolean }>(
    client,
    sql`select cells.claim(${cell}, ${name}, ${orgId}::uuid) as claimed`,
  );
  return row?.claimed ?? false;
}

/** Whether the directory knows a cell: nothing is given to any other. */
export async function hasCell(client: SqlClient, cell: string): Promise<boolean> {
  const [row] = await run<{ exists: boolean }>(client, sql`select cells.has_cell(${cell}) as exists`);
  return row?.exists ?? false;
}

/**
 * Gives the names of an organization from a cell to another one.
 * @returns those that do not lead there now, because a third cell has them
 */
export async function giveNames(
  client: Sql,
  { from, to }: { from: string; to: string },
  names: readonly CellName[],
): Promise<string[]> {
  return await client.begin(async (tx) => {
    // Those that the directory does not know yet, such as a new domain.
    await run(tx, sql`select cells.enter(${from}, ${list(names)})`);
    const given = names.map(({ name }) => ({ name, cell: to }));
    const refused = await run<{ name: string }>(tx, sql`select cells.give(${from}, ${list(given)}) as name`);
    return refused.map(({ name }) => name);
  });
}

/** A name of a cell whose organization has moved to another one. */
export interface LeftName extends NameInCell {
  /** Whether that cell may not serve it yet. */
  pending: boolean;
}

/** A name that another cell has. */
export interface NameElsewhere extends NameInCell {
  /** Whether for the same organization, as in a move that has not told the directory yet. */
  same: boolean;
}

/**
 * Writes the names that a cell has, hands over those that have left with an organization, and removes others of it. A name that is on its
 * way stays: otherwise a third cell could give it to somebody else. So does one that was claimed within the last hour: its organization may
 * still be created.
 * @returns the names of this cell that another one has in the directory: requests for them reach that one
 */
export async function writeNames(
  client: Sql,
  cell: string,
  { present, left }: { present: readonly CellName[]; left: readonly LeftName[] },
): Promise<{ added: number; removed: number; elsewhere: NameElsewhere[] }> {
  const count = async (tx: SqlClient, call: ReturnType<typeof sql>) =>
    (await run<{ count: number }>(tx, sql`select ${call} as count`))[0]?.count ?? 0;
  return await client.begin(async (tx) => {
    const added = await count(tx, sql`cells.enter(${cell}, ${list(present)})`);
    const given = left.filter(({ pending }) => !pending);
    await run(tx, sql`select cells.give(${cell}, ${list(given)})`);
    const kept = [...present, ...left].map(({ name }) => name);
    const removed = await count(tx, sql`cells.remove(${cell}, ${list(kept)})`);
    return { added, removed, elsewhere: await findElsewhere(tx, cell, present) };
  });
}

/** Those of some names that another cell has. */
export async function findElsewhere(
  client: SqlClient,
  cell: string,
  names: readonly CellName[],
): Promise<NameElsewhere[]> {
  return await run<NameElsewhere>(
    client,
    sql`select name, cell, same from cells.elsewhere(${cell}, ${list(names)})`,
  );
}

/** All names with their cells, in pages. The role of a cell may not read them. */
export async function* readNames(client: SqlClient): AsyncGenerator<NameInCell[]> {
  const size = 10_000;
  for (let after = ''; ; ) {
    const page = await run<NameInCell>(
      client,
      sql`select name, cell from cells.hosts where name > ${after} order by name limit ${size}`,
    );
    if (page.length > 0) yield [...page];
    const last = page.at(-1);
    if (!last || page.length < size) return;
    after = last.name;
  }
}
