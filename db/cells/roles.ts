import { sql } from 'drizzle-orm';
import type { TransactionSql } from '../pool/query.ts';
import { run, type SqlClient } from '../statements.ts';
import { CELL_FUNCTIONS } from './directory.ts';
import { scramVerifier } from './scram.ts';

/* The roles of the directory: one for each cell, and one that reads the hosts of all cells for a proxy. */

/** Servers have two connections each. Keeps a cell from using up those of the directory. */
const CONNECTIONS = 30;

export interface RoleState {
  exists: boolean;
  /** Whether it may do everything in the directory: it is its owner, a member of it, or a superuser. */
  owns: boolean;
  /** The cell that it acts for. */
  cell: string | null;
  /** Whether it reads the hosts of all cells. */
  reads: boolean;
}

export async function readRole(client: SqlClient, role: string): Promise<RoleState> {
  const [row] = await run<Omit<RoleState, 'exists'>>(
    client,
    sql`select pg_has_role(r.oid, (select relowner from pg_class where oid = 'cells.names'::regclass), 'member') as owns,
        (select cell from cells.cells where role = r.rolname) as cell,
        has_table_privilege(r.oid, 'cells.hosts', 'select') as reads
      from pg_roles r where r.rolname = ${role}`,
  );
  return row ? { ...row, exists: true } : { exists: false, owns: false, cell: null, reads: false };
}

/** Whether the own role may do everything in the directory. */
export async function ownsDirectory(client: SqlClient): Promise<boolean> {
  const [row] = await run<{ owns: boolean }>(
    client,
    sql`select pg_has_role(c.relowner, 'member') as owns from pg_class c
      where c.relname = 'names' and c.relnamespace = (select oid from pg_namespace where nspname = 'cells')`,
  );
  return row?.owns ?? false;
}

/** Creates a role that can sign in and has no rights. */
export async function createRole(tx: SqlClient, role: string): Promise<void> {
  await run(
    tx,
    sql`create role ${sql.identifier(role)} login connection limit ${sql.raw(String(CONNECTIONS))}`,
  );
}

export async function setPassword(tx: SqlClient, role: string, password: string): Promise<void> {
  await run(tx, sql`alter role ${sql.identifier(role)} password ${sql.raw(`'${scramVerifier(password)}'`)}`);
}

/** Lets a role act for a cell, and no other role. */
export async function grantCell(tx: TransactionSql, cell: string, role: string): Promise<void> {
  await run(
    tx,
    sql`insert into cells.cells (cell, role) values (${cell}, ${role}::text::name)
      on conflict (cell) do update set role = excluded.role`,
  );
  await grantUse(tx, role);
  for (const name of CELL_FUNCTIONS)
    await run(tx, sql`grant execute on function ${sql.raw(`cells.${name}`)} to ${sql.identifier(role)}`);
}

/** Lets no role act for a cell. @returns the role that did */
export async function revokeCell(client: SqlClient, cell: string): Promise<string | undefined> {
  const [row] = await run<{ role: string }>(
    client,
    sql`with before as materialized (select role from cells.cells where cell = ${cell} and role is not null for update)
      update cells.cells c set role = null from before where c.cell = ${cell} returning before.role`,
  );
  return row?.role;
}

/** Lets a role read the hosts of all cells. */
export async function grantMap(tx: TransactionSql, role: string): Promise<void> {
  await grantUse(tx, role);
  await run(tx, sql`grant select on cells.hosts to ${sql.identifier(role)}`);
}

async function grantUse(tx: SqlClient, role: string): Promise<void> {
  await run(tx, sql`grant usage on schema cells to ${sql.identifier(role)}`);
  // Unless everybody may connect, which is PostgreSQL's default.
  const [row] = await run<{ name: string; connects: boolean }>(
    tx,
    sql`select current_database() as name, has_database_privilege(${role}, current_database(), 'connect') as connects`,
  );
  if (row && !row.connects)
    await run(tx, sql`grant connect on database ${sql.identifier(row.name)} to ${sql.identifier(role)}`);
}
