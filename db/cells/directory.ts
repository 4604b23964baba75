import { sql } from 'drizzle-orm';
import type { TransactionSql } from '../pool/query.ts';
import { run } from '../statements.ts';

/*
 * The tables and functions of the directory. A role of a cell may call the functions and nothing else: each of them changes rows of the
 * cell that the role acts for, and only the cell that has a name gives it away. Row level security cannot say that: an UPDATE may only
 * leave rows that the role can read, and a name that is given away belongs to another cell.
 *
 * Whoever owns the table acts for every cell.
 */

/** One process at a time. */
const LOCK = 7310482593106647218n;

/** `session_user`: within a function of the owner, `current_user` is the owner. */
const REQUIRE_CELL = `
create or replace function cells.require_cell(text) returns void language plpgsql stable
  set search_path = pg_catalog, pg_temp as $$ begin
    if not exists (select from cells.cells c where c.cell = $1 and c.role = session_user)
      and not pg_has_role(session_user, (select relowner from pg_class where oid = 'cells.names'::regclass), 'member')
    then raise exception 'the role "%" does not act for the cell "%"', session_user, $1 using errcode = '42501';
    end if;
  end $$`;

/** What a cell may call. Another cell can hold a name in an open transaction: nobody waits for it longer than for a free connection. */
const header = (name: string, returns: string) => `
create or replace function cells.${name} returns ${returns} language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
  #variable_conflict use_column`;

/** No DO UPDATE in what follows: it locks the row of another cell until the transaction ends, also if it does not change it. */
const FUNCTIONS = {
  'claim(text, text, uuid)': `${header('claim(text, text, uuid)', 'boolean')}
  begin
    perform cells.require_cell($1);
    insert into cells.names (name, cell, org_id) values ($2, $1, $3) on conflict (name) do nothing;
    if found then return true; end if;
    update cells.names n set org_id = $3, since = now() where n.name = $2 and n.cell = $1;
    return found;
  end $$`,
  'enter(text, json)': `${header('enter(text, json)', 'integer')}
  declare added integer;
  begin
    perform cells.require_cell($1);
    insert into cells.names (name, cell, org_id)
      select distinct on (p.name) p.name, $1, p."orgId" from json_to_recordset($2) p(name text, "orgId" uuid)
        where not exists (select from cells.names n where n.name = p.name)
        order by p.name, p."orgId" desc
      on conflict (name) do nothing;
    get diagnostics added = row_count;
    update cells.names n set org_id = p.org_id from (
        select distinct on (name) name, "orgId" as org_id from json_to_recordset($2) j(name text, "orgId" uuid)
          order by name, "orgId" desc) p
      where n.name = p.name and n.cell = $1 and n.org_id <> p.org_id;
    return added;
  end $$`,
  'give(text, json)': `${header('give(text, json)', 'setof text')}
  begin
    perform cells.require_cell($1);
    update cells.names n set cell = c.cell, since = now()
      from json_to_recordset($2) l(name text, cell text) join cells.cells c on c.cell = l.cell
      where n.name = l.name and n.cell = $1 and c.cell <> $1;
    return query select l.name from json_to_recordset($2) l(name text, cell text)
      where not exists (select from cells.names n where n.name = l.name and n.cell = l.cell);
  end $$`,
  'remove(text, json)': `${header('remove(text, json)', 'integer')}
  declare removed integer;
  begin
    perform cells.require_cell($1);
    delete from cells.names n where n.cell = $1 and n.since < now() - interval '1 hour'
      and not exists (select from json_array_elements_text($2) k(name) where k.name = n.name);
    get diagnostics removed = row_count;
    return removed;
  end $$`,
  'elsewhere(text, json)': `${header('elsewhere(text, json)', 'table (name text, cell text, same boolean)')}
  begin
    perform cells.require_cell($1);
    return query select n.name, n.cell, n.org_id = p."orgId"
      from cells.names n join json_to_recordset($2) p(name text, "orgId" uuid) on p.name = n.name
      where n.cell <> $1 order by n.name;
  end $$`,
  'has_cell(text)': `${header('has_cell(text)', 'boolean')}
  begin return exists (select from cells.cells c where c.cell = $1); end $$`,
} as const;

/** What the role of a cell may execute. */
export const CELL_FUNCTIONS = Object.keys(FUNCTIONS);

/**
 * Creates the directory, or upgrades it; part of a transaction. Cells that have names in a directory without roles are entered.
 * @returns once no other process does so
 */
export async function prepareDirectory(tx: TransactionSql): Promise<void> {
  await run(tx, sql.raw(`select pg_advisory_xact_lock(${LOCK})`));
  for (const text of [
    `create schema if not exists cells`,
    `create table if not exists cells.names (
      name text primary key, cell text not null, org_id uuid not null, since timestamptz not null default now())`,
    `create index if not exists names_cell on cells.names (cell)`,
    `create index if not exists names_org on cells.names (org_id)`,
    `create table if not exists cells.cells (cell text primary key, role name unique)`,
    `insert into cells.cells (cell) select distinct cell from cells.names where cell ~ '^[a-z0-9][a-z0-9-]{0,49}$'
      on conflict do nothing`,
    `create or replace view cells.hosts as select name, cell from cells.names`,
    REQUIRE_CELL,
    ...Object.values(FUNCTIONS),
    // PostgreSQL lets everybody execute a new function.
    `revoke execute on all functions in schema cells from public`,
  ])
    await run(tx, sql.raw(text));
}
