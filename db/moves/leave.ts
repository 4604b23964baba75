import { type SQL, sql } from 'drizzle-orm';
import { FIRST, SHARED_TABLES, type SharedTableName } from '../backup/sections.ts';
import { sharedSection, TEXT_SETTINGS } from '../backup/snapshot.ts';
import type { Sql } from '../pool/query.ts';
import { orgMoves } from '../schema/moves.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { orgDeletions, orgs, projectTransfers, reservedSlugs } from '../schema/orgs.ts';
import { personalTokens } from '../schema/personal-tokens.ts';
import { arrayText, run, type SqlClient } from '../statements.ts';
import { formerSchema, type MovingOrg } from './moves.ts';
import { lockingTables } from './pause.ts';

/** A row of a table of `shared`: the text of each value. */
export type SharedRow = Record<string, string | null>;

/** What `shared` has of an organization. */
export interface SharedRows {
  tables: Record<SharedTableName, SharedRow[]>;
  /** Personal tokens that work in this organization only, as JSON. */
  personalTokens: unknown[];
}

/** Why an organization cannot leave now. */
export type Obstacle = 'changed' | 'deleted' | 'transfers' | 'members' | 'late';

class Refusal extends Error {
  readonly why: Obstacle;
  constructor(why: Obstacle) {
    super(why);
    this.why = why;
  }
}

/** What keeps an organization from moving. @param version of its schema */
export async function findObstacle(
  client: SqlClient,
  { id: orgId, slug }: { id: string; slug: string },
  version: number,
): Promise<Obstacle | undefined> {
  const [found] = await run<{ current: boolean; deleted: boolean; transfers: boolean }>(
    client,
    sql`select exists (select from ${orgs} where id = ${orgId}::uuid and slug = ${slug}
          and schema_version = ${version} and not lacks_indexes) as current,
        exists (select from ${orgDeletions} where org_id = ${orgId}::uuid) as deleted,
        exists (select from ${projectTransfers} where ${orgId}::uuid in (source_id, target_id)) as transfers`,
  );
  if (!found?.current) return 'changed';
  if (found.deleted) return 'deleted';
  return found.transfers ? 'transfers' : undefined;
}

/**
 * Takes an organization out of service, in one transaction: its schema gets another name, so that no process reads or writes it any more,
 * its rows of `shared` are kept with the move, and its slugs and domain say where it is.
 * @param options.until the pause of writes ends then. Later, the copy may lack writes
 * @param options.areMatched whether all of these members were matched with accounts of the other cell
 */
export async function takeOut(
  client: Sql,
  org: MovingOrg,
  options: {
    cell: string;
    slug: string;
    version: number;
    until: string;
    areMatched(members: readonly SharedRow[]): boolean;
  },
): Promise<Obstacle | undefined> {
  const { cell, slug, version, until, areMatched } = options;
  try {
    await lockingTables(client, org, async (tx, lock) => {
      for (const setting of TEXT_SETTINGS) await run(tx, sql.raw(setting));
      await run(tx, sql`select 1 from ${orgs} where id = ${org.id}::uuid for update`);
      await lock();
      const obstacle = await findObstacle(tx, { id: org.id, slug }, version);
      if (obstacle) throw new Refusal(obstacle);
      // From here on the locks keep writes away.
      const [time] = await run<{ late: boolean }>(
        tx,
        sql`select clock_timestamp() >= ${until}::timestamptz as late`,
      );
      if (time?.late) throw new Refusal('late');
      const rows = await readShared(tx, org.id);
      if (!areMatched(rows.tables.memberships)) throw new Refusal('members');
      await leaveSlugs(tx, org.id, cell);
      await run(
        tx,
        sql`alter schema ${sql.identifier(orgSchemaName(org.id))} rename to ${sql.identifier(formerSchema(org.id))}`,
      );
      await run(
        tx,
        sql`update ${orgMoves} set moved_at = now(), rows = ${JSON.stringify(rows)}::text::json where org_id = ${org.id}::uuid`,
      );
      await run(tx, sql`delete from ${orgs} where id = ${org.id}::uuid`);
    });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.why;
    throw error;
  }
}

async function readShared(tx: SqlClient, orgId: string): Promise<SharedRows> {
  // Locked: a change at the same time would be lost, though its request was answered. The locks of the tables protect accepted risks.
  for (const name of FIRST)
    await run(
      tx,
      sql`select 1 from ${sql.raw(`shared.${name}`)} where ${sql.identifier(SHARED_TABLES[name].key)} = ${orgId}::uuid for update`,
    );
  const tables: Partial<SharedRows['tables']> = {};
  for (const name of Object.keys(SHARED_TABLES) as SharedTableName[]) {
    const { columns, rows } = sharedSection(tx, name, orgId);
    const found: SharedRow[] = [];
    for await (const lines of rows())
      for (const line of lines) {
        const cells: (string | null)[] = JSON.parse(Buffer.from(line).toString());
        found.push(Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? null])));
      }
    tables[name] = found;
  }
  const tokens = await run<{ row: unknown }>(
    tx,
    // Locked: one that is revoked at the same time would live on in the other cell.
    sql`select row_to_json(t)::text as row from ${personalTokens} t where org_id = ${orgId}::uuid for update`,
  );
  return {
    tables: tables as SharedRows['tables'],
    personalTokens: tokens.map(({ row }) => JSON.parse(String(row))),
  };
}

/** Keeps the slugs and the domain of an organization, for requests that still arrive here. */
async function leaveSlugs(tx: SqlClient, orgId: string, cell: string): Promise<void> {
  await run(
    tx,
    sql`insert into ${reservedSlugs} (slug, org_id, reserved_at, moved_to)
      select address, null, now(), ${cell} from ${orgs}, unnest(array[slug, custom_domain]) address
      where id = ${orgId}::uuid and address is not null
      on conflict (slug) do update set moved_to = excluded.moved_to`,
  );
  await run(tx, sql`update ${reservedSlugs} set moved_to = ${cell} where org_id = ${orgId}::uuid`);
}

/** The rows of `shared` that were kept with a move; undefined once the other cell has them. */
export async function readLeft(client: SqlClient, orgId: string): Promise<SharedRows | undefined> {
  const [row] = await run<{ rows: string | null }>(
    client,
    sql`select rows::text as rows from ${orgMoves} where org_id = ${orgId}::uuid and moved_at is not null`,
  );
  return row?.rows ? JSON.parse(row.rows) : undefined;
}

/** Notes that the other cell serves the organization. */
export async function completeMove(client: SqlClient, orgId: string): Promise<void> {
  await run(client, sql`update ${orgMoves} set rows = null where org_id = ${orgId}::uuid`);
}

/** Removes the data of an organization that has moved. @returns false if there is none */
export async function purgeFormer(client: SqlClient, orgId: string): Promise<boolean> {
  const name = formerSchema(orgId);
  const found = await run(client, sql`select 1 from pg_namespace where nspname = ${name}`);
  if (found.length === 0) return false;
  await run(client, sql`drop schema if exists ${sql.identifier(name)} cascade`);
  return true;
}

const isLeft = sql`org_id is null and moved_to is not null`;

/** The cell that an organization with this slug or custom domain has moved to, as SQL: null if there is none. */
export const cellOf = (name: string): SQL<string | null> =>
  sql`(select moved_to from ${reservedSlugs} where slug = ${name} and ${isLeft})`;

/** Which of these slugs are of organizations that have moved to another cell. */
export async function findLeft(client: SqlClient, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await run<{ slug: string }>(
    client,
    sql`select slug from ${reservedSlugs} where slug = any (${arrayText(slugs)}::text[]) and ${isLeft}`,
  );
  return new Set(rows.map(({ slug }) => slug));
}
