import { asc } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { type Miscount, recountOrg } from '../../db/findings/counts/recount.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { isBehind } from '../../db/orgs/tables.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { forEachOrg } from '../orgs/for-each-org.ts';
import { isAway } from '../orgs/migrations.ts';
import { reasonOf } from './error.ts';
import { findOrg } from './orgs.ts';

/** The result of recounting one organization. */
export interface RecountResult {
  org_id: string;
  org: string;
  status: 'right' | 'corrected' | 'failed';
  /** The stored counts that differed from the rows. */
  wrong: Miscount[];
  error: string | null;
}

export interface Recount {
  orgs: RecountResult[];
  corrected: number;
  failed: number;
}

export interface RecountOptions {
  migrations: readonly Migration[];
  /** Slug or id of one organization. Unset: all. */
  org?: string | undefined;
  /** Called for each organization. */
  onResult?: (result: RecountResult) => void;
}

/**
 * Counts the findings and scans of one organization or all, and corrects the stored counts. Continues after an organization
 * fails. Servers may run; an organization's agents wait while it is counted.
 * @throws AdminError when the organization does not exist; the driver's error when the database is unavailable
 */
export async function recount(database: Database, options: RecountOptions): Promise<Recount> {
  const { migrations, org, onResult = () => {} } = options;
  const { db } = database;
  const which = { id: orgs.id, slug: orgs.slug, schema_version: orgs.schemaVersion };
  const all =
    org === undefined ? await db.select(which).from(orgs).orderBy(asc(orgs.slug)) : [await findOrg(db, org)];
  const results: RecountResult[] = [];
  await forEachOrg(all, 1, async ({ id, slug, schema_version }) => {
    const outcome = isBehind(schema_version, migrations)
      ? failed('its schema is behind: run "migrate" first')
      : await recountOne(database, { id, schema_version });
    const result = { org_id: id, org: slug, ...outcome };
    onResult(result);
    results.push(result);
  });
  const countOf = (status: RecountResult['status']) =>
    results.filter((result) => result.status === status).length;
  return { orgs: results, corrected: countOf('corrected'), failed: countOf('failed') };
}

type Outcome = Omit<RecountResult, 'org_id' | 'org'>;

const failed = (error: string): Outcome => ({ status: 'failed', wrong: [], error });

async function recountOne({ sql }: Database, org: { id: string; schema_version: number }): Promise<Outcome> {
  try {
    const wrong = org.schema_version > 0 ? await recountOrg(sql, org.id) : [];
    return { status: wrong.length > 0 ? 'corrected' : 'right', wrong, error: null };
  } catch (error) {
    if (isAway(error)) throw error;
    return failed(reasonOf(error));
  }
}
