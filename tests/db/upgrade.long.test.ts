import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { migrate } from '../../lib/admin/migrations.ts';
import type { Logger } from '../../lib/logger.ts';
import { createOrg, must, push, type TestOrg } from '../support/api/api.ts';
import { holdOpen } from '../support/database/hold.ts';
import { addManyFindings, createEmptyOrg } from '../support/database/older-org.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/*
 * A large organization is migrated without blocking its requests: its indexes are created after its migration, concurrently.
 */

const LAST = orgMigrations.findIndex(({ name }) => name.startsWith('0009')) + 1;

/** Indexes of the migrations that the organization has not had. */
const NEW_INDEXES = [
  ...['findings_assignee', 'findings_cve', 'findings_file', 'findings_overdue', 'findings_resolved'],
  ...[
    'findings_source',
    'findings_rule',
    'findings_search',
    'scans_project',
    'finding_events_mentions',
    'changes_rule',
  ],
  ...['findings_proposed', 'scans_commit', 'scans_series'],
  ...['finding_events_newest', 'finding_events_actor'],
];

let before: TestApp;
let org: TestOrg;
const logged: string[] = [];
const log: Logger = {
  ...silentLog,
  info: (message) => logged.push(message),
  warn: (message, fields) => logged.push(`${message}: ${fields?.error ?? ''}`),
  error: (message, fields) => logged.push(`${message}: ${fields?.error ?? ''}`),
};

beforeEach(async () => {
  logged.length = 0;
  before = await startApp({ orgMigrations: orgMigrations.slice(0, LAST) });
  org = await createEmptyOrg(before);
  await addManyFindings(before, org);
});

const newerApp = (migrations = orgMigrations) =>
  startApp({ databaseUrl: before.databaseUrl, orgMigrations: migrations, log });

const sql = (text: string) => before.services.database.sql.unsafe<{ value: string }[]>(text);

/** The names of its indexes. */
async function indexes(isValid: boolean, { id }: TestOrg = org): Promise<string[]> {
  const rows = await sql(
    `select c.relname as value from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relnamespace = '${orgSchemaName(id)}'::regnamespace and i.indisvalid = ${isValid} order by c.relname`,
  );
  return rows.map(({ value }) => value);
}

/** Expects those of an organization that is created now, and that nothing is left to do. */
async function expectAllIndexes({ api }: TestApp): Promise<void> {
  expect(await indexes(false)).toEqual([]);
  expect(await indexes(true)).toEqual(await indexes(true, await createOrg(api)));
  expect(await sql(`select lacks_indexes as value from shared.orgs where id = '${org.id}'`)).toEqual([
    { value: false },
  ]);
}

/** A transaction that has written to the findings: CREATE INDEX CONCURRENTLY waits for it. @returns a function that ends it */
const holdWriter = () =>
  holdOpen(before.services.database.sql, (tx) =>
    tx.unsafe(`update ${orgSchemaName(org.id)}.findings set title = title where fingerprint = 'print-1'`),
  );

const CREATING = `select pid as value from pg_stat_activity
  where datname = current_database() and state = 'active' and query like 'CREATE INDEX CONCURRENTLY%'`;

const creating = async () => (await sql(CREATING)).length;

/** Waits until an index is in the catalog whose creation waits for the writer; those of other tables do not. */
async function untilCreating(): Promise<void> {
  const waiting = async () => (await indexes(false)).filter((name) => name.startsWith('findings_')).length;
  await expect.poll(waiting, { timeout: 10_000 }).toBe(1);
  expect(await creating()).toBe(1);
}

describe('a large organization', () => {
  it('is served before its indexes exist, and while they are created', async () => {
    const after = await newerApp();
    must(await after.api.get('/projects', org.asOwner));
    expect((await indexes(true)).filter((name) => NEW_INDEXES.includes(name))).toEqual([]);

    const path = `/projects/${org.projectId}/tokens`;
    const { token } = must(await after.api.post(path, { ...org.asOwner, body: { name: 'ci' } }));
    const agent = { ...org, asAgent: { token, org: org.slug } };
    const endWriter = await holdWriter();
    const migrated = after.services.orgs.migrateAll();
    await untilCreating();
    expect(await push(after.api, agent, 'scan', { fingerprint: 'new' })).toMatchObject({
      deduplicated: false,
    });
    expect(must(await after.api.get('/findings?page=1&source=semgrep', org.asOwner))).toHaveLength(50);
    await endWriter();
    await migrated;
    await expectAllIndexes(after);
    expect(logged).toContain('indexes created');
  });

  it('gets its indexes from the command `migrate`', async () => {
    const after = await newerApp();
    const { database } = after.services;
    const tracks = { shared: [], org: orgMigrations };
    const result = await migrate(database, { tracks, org: org.slug });
    expect(result).toMatchObject({ failed: 0, indexes: { created: NEW_INDEXES.length, failed: [] } });
    await expectAllIndexes(after);
    expect(await migrate(database, { tracks, org: org.slug })).not.toHaveProperty('indexes');
  });

  it('gets them once from two processes that start at once', async () => {
    const newer = await Promise.all([newerApp(), newerApp()]);
    await Promise.all(newer.map(({ services }) => services.orgs.migrateAll()));
    await expectAllIndexes(newer[0] as TestApp);
    expect(logged.filter((message) => message === 'indexes created')).toHaveLength(1);
    expect(logged.filter((message) => message.includes('cannot'))).toEqual([]);
  });

  it('gets the others after a connection was lost between two, which leaves an invalid index', async () => {
    const after = await newerApp();
    must(await after.api.get('/projects', org.asOwner));
    const endWriter = await holdWriter();
    const migrated = after.services.orgs.migrateAll();
    await untilCreating();
    const invalid = await indexes(false);
    await sql(
      `select pg_terminate_backend(pid) as value from (${CREATING.replace('as value', '')}) creating`,
    );
    await expect.poll(creating, { timeout: 10_000 }).toBe(0);
    expect(await indexes(false)).toEqual(invalid);
    await endWriter();
    await migrated;
    await expectAllIndexes(after);
    expect(logged.filter((message) => message.includes('cannot'))).toHaveLength(1);
  });

  it('gets the others from the next process after one was killed', async () => {
    const killed = await newerApp();
    must(await killed.api.get('/projects', org.asOwner));
    const endWriter = await holdWriter();
    const ended = killed.services.orgs.migrateAll();
    await untilCreating();
    // Its connections break. PostgreSQL continues with the index, unless the system tells it.
    await killed.services.database.close(0);
    await ended;
    const next = await newerApp();
    const migrated = next.services.orgs.migrateAll();
    await endWriter();
    await migrated;
    await expectAllIndexes(next);
    expect(logged.filter((message) => message.includes('cannot'))).toEqual([]);
  });

  it('gets the others after PostgreSQL has ended what a killed process began', async () => {
    const next = await newerApp();
    must(await next.api.get('/projects', org.asOwner));
    const endWriter = await holdWriter();
    // As it goes on after a process was killed: nobody has the lock for creating indexes.
    const orphan = before.services.database.unlimited((client) =>
      client.unsafe(
        `CREATE INDEX CONCURRENTLY findings_cve ON ${orgSchemaName(org.id)}.findings (cve) WHERE cve is not null`,
      ),
    );
    await untilCreating();
    const migrated = next.services.orgs.migrateAll();
    // It has to find the index that is being created.
    await sleep(700);
    expect([await creating(), await indexes(false)]).toEqual([1, ['findings_cve']]);
    await endWriter();
    await Promise.all([orphan, migrated]);
    await expectAllIndexes(next);
    expect(logged.filter((message) => message.includes('cannot'))).toEqual([]);
  });

  it('may lose an index again that was not created yet', async () => {
    const statements = ['DROP INDEX "org_template"."findings_cve";'];
    const dropping = { name: '8000_drop', hash: 'x', statements };
    const after = await newerApp([...orgMigrations, dropping]);
    must(await after.api.get('/projects', org.asOwner));
    expect(await indexes(true)).not.toContain('findings_cve');
  });
});

it('a small organization gets its indexes with its migration', async () => {
  const small = await createEmptyOrg(before);
  const after = await newerApp();
  must(await after.api.get('/projects', small.asOwner));
  expect(await indexes(true, small)).toEqual(await indexes(true, await createOrg(after.api)));
});
