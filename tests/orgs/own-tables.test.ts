import { beforeAll, describe, expect, it } from 'vitest';
import { emptySchemaOf, NO_ROWS } from '../../db/migrations/empty-tables.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { endpoints } from '../../handlers/index.ts';
import type { Endpoints } from '../../lib/http/endpoint.ts';
import { deleteOrganization } from '../../lib/orgs/deletion.ts';
import { withOwnTables } from '../../lib/orgs/tables.ts';
import { lockOrgTables } from '../../lib/quotas.ts';
import { type Answer, createUser, must, type TestUser } from '../support/api/api.ts';
import { type HostileOperation, hostileOperations } from '../support/hostile/operations.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/*
 * An organization gets its tables with its first write. Until then it reads tables that all such organizations share, and that can
 * have no row (`tests/db/empty-tables.test.ts`).
 */

let t: TestApp;
/** Another process over the same database. */
let other: TestApp;

beforeAll(async () => {
  t = await startApp();
  other = await startApp({ databaseUrl: t.databaseUrl, orgMigrations: t.services.orgMigrations });
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);

interface NewOrg {
  id: string;
  slug: string;
  owner: TestUser;
  asOwner: { cookie: string; org: string };
}

/** The organization of a new account, which nobody has written to. */
async function register(): Promise<NewOrg> {
  const owner = await createUser(t.api);
  const [{ id, slug }] = must(await t.api.get('/orgs', { cookie: owner.cookie }));
  return { id, slug, owner, asOwner: { cookie: owner.cookie, org: slug } };
}

/** How many tables an organization has, and its version. */
async function stateOf({ id }: { id: string }): Promise<[tables: number, version: number]> {
  const [row] = await sql(
    `select (select count(*)::int from pg_tables where schemaname = $1) as tables, schema_version as version
     from shared.orgs where id = $2`,
    [orgSchemaName(id), id],
  );
  return [row?.tables, row?.version];
}

const NONE = [0, 0];
const isComplete = async (org: { id: string }) => {
  const [tables, version] = await stateOf(org);
  return tables > 10 && version === t.services.orgMigrations.length;
};

const all: Endpoints = endpoints;
const inOrg = hostileOperations().filter(({ kind }) => kind === 'cookieOrg');
const createsTables = ({ id }: HostileOperation) =>
  all[id]?.route(() => undefined as never).some(({ name }) => name === 'ownTables');

/** Calls an endpoint with ids of nothing and the body of its documentation. */
function call({ method, path, body, takesFile }: HostileOperation, as: object, app = t): Promise<Answer> {
  const target = path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, crypto.randomUUID());
  const sent = takesFile ? { body: '{"findings":[]}' } : { ...(body && { body }) };
  return app.api.call(method.toUpperCase(), target, { ...as, ...sent });
}

describe('an organization that nobody has written to', () => {
  it('has no tables, and the version of those that it will get', async () => {
    const org = await register();
    expect(await stateOf(org)).toEqual(NONE);
    const shown = must(await t.api.get(`/orgs/${org.slug}`, org.asOwner));
    expect(shown.schema_version).toBe(t.services.orgMigrations.length);
    const made = must(await t.api.post('/orgs', { ...org.asOwner, body: { name: 'Second' } }));
    expect(made.schema_version).toBe(t.services.orgMigrations.length);
    expect(await stateOf(made)).toEqual(NONE);
  });

  it.each(inOrg.filter((one) => !createsTables(one)).map((one) => [one.id, one] as const))(
    'is served by %s, which leaves it so',
    async (_, operation) => {
      const org = await register();
      const answer = await call(operation, org.asOwner);
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(await stateOf(org)).toEqual(NONE);
    },
  );

  it('shows nothing of others that have none or have some', async () => {
    const [one, two] = [await register(), await register()];
    must(await t.api.post('/projects', { ...one.asOwner, body: { name: 'Secret' } }));
    must(
      await t.api.post('/views', { ...one.asOwner, body: { name: 'Secret', query: 'q=x', shared: true } }),
    );
    for (const path of ['/projects', '/views', '/findings', '/scans', '/tokens'])
      expect([path, must(await t.api.get(path, two.asOwner))]).toEqual([path, []]);
  });

  it('is not served when the tables that it would share could have a row, and others are', async () => {
    const [org, writer] = [await register(), await register()];
    must(await t.api.post('/projects', { ...writer.asOwner, body: { name: 'Web shop' } }));
    const schema = emptySchemaOf(t.services.orgMigrations);
    const guard = (change: string) => sql(`alter table "${schema}".projects ${change}`);
    await guard(`drop constraint ${NO_ROWS}`);
    const lines: string[] = [];
    const log = { ...silentLog, error: (text: string) => lines.push(text) };
    const started = await startApp({ databaseUrl: t.databaseUrl, log });
    try {
      const refused = await started.api.get('/projects', org.asOwner);
      expect(refused.error).toBe('server_error/unavailable');
      expect(lines).toEqual(['the tables of organizations without tables cannot be created']);
      expect(must(await started.api.get('/projects', writer.asOwner))).toHaveLength(1);
    } finally {
      await guard(`add constraint ${NO_ROWS} check (false)`);
    }
    expect(must(await started.api.get('/projects', org.asOwner))).toEqual([]);
  });

  it('gets them when it is deleted, for the entry of the audit log', async () => {
    const org = await register();
    must(await t.api.delete(`/orgs/${org.slug}`, { ...org.asOwner, body: { confirm: org.slug } }));
    expect((await t.api.get('/projects', org.asOwner)).error).toBe('tenant_error/deleted');
    expect(await isComplete(org)).toBe(true);
    must(await t.api.post(`/orgs/${org.slug}/restore`, org.asOwner));
    expect((await t.api.get('/projects', org.asOwner)).status).toBe(200);
  });
});

describe('the first write', () => {
  const writing = inOrg.filter(createsTables);

  it('is one of most endpoints that change something', () => {
    expect(writing.length).toBeGreaterThan(25);
    expect(
      inOrg
        .filter((one) => one.method.toUpperCase() !== 'GET' && !createsTables(one))
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['previewRetention', 'previewRule']);
  });

  it.each(writing.map((one) => [one.id, one] as const))('by %s creates all tables', async (_, operation) => {
    const org = await register();
    const answer = await call(operation, org.asOwner);
    expect(answer.status, answer.text).toBeLessThan(500);
    expect(await isComplete(org)).toBe(true);
  });

  it('creates them once if several arrive at the same instant, through several processes', async () => {
    const org = await register();
    const names = Array.from({ length: 6 }, (_, i) => `Project ${i}`);
    const answers = await Promise.all(
      names.map((name, i) => (i % 2 ? t : other).api.post('/projects', { ...org.asOwner, body: { name } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(must(await t.api.get('/projects', org.asOwner))).toHaveLength(6);
    expect(await isComplete(org)).toBe(true);
    const steps = await sql('select name from shared.org_migrations where org_id = $1', [org.id]);
    expect(steps).toHaveLength(t.services.orgMigrations.length);
  });

  it('is seen by a process that has just read the organization without tables', async () => {
    const org = await register();
    for (let i = 0; i < 3; i++) expect(must(await other.api.get('/projects', org.asOwner))).toEqual([]);
    const { id } = must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Web shop' } }));
    expect(must(await other.api.get('/projects', org.asOwner))).toHaveLength(1);
    const body = { name: 'ci' };
    const { token } = must(await t.api.post(`/projects/${id}/tokens`, { ...org.asOwner, body }));
    const asAgent = { token, org: org.slug };
    const scan = { scan_id: 'nightly', project_id: id, persona: 'senku' };
    must(await other.api.post('/agent/scans', { ...asAgent, body: scan }));
    expect(must(await t.api.get('/scans', org.asOwner))).toHaveLength(1);
  });

  it('makes tokens that processes find which have looked for tokens before', async () => {
    const [org, second] = [await register(), await register()];
    const unknown = { token: `svc_${'0'.repeat(32)}`, org: org.slug };
    for (const app of [t, other]) {
      expect((await app.api.get('/agent/findings', unknown)).error).toBe('token_error/invalid');
      expect((await app.api.get('/projects', unknown)).status).toBe(401);
    }
    const project = must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Web shop' } }));
    const body = { name: 'ci' };
    const { token } = must(await t.api.post(`/projects/${project.id}/tokens`, { ...org.asOwner, body }));
    const path = `/agent/findings?project_id=${project.id}`;
    for (const app of [t, other]) {
      expect(must(await app.api.get(path, { token, org: org.slug }))).toEqual([]);
      expect((await app.api.get(path, { token, org: second.slug })).error).toBe('token_error/invalid');
    }
  });

  it('is followed by checks of the own flags in every process', async () => {
    const org = await register();
    expect((await other.api.get('/projects', org.asOwner)).status).toBe(200);
    expect((await t.api.get('/projects', org.asOwner)).status).toBe(200);
    must(await t.api.patch('/org-features/require_mfa', { ...org.asOwner, body: { enabled: true } }));
    for (const app of [t, other])
      expect((await app.api.get('/projects', org.asOwner)).error).toBe(
        'permission_error/mfa_required_by_org',
      );
  });

  it('is followed by checks of the own flags for requests that had to wait', async () => {
    const org = await register();
    const app = await startApp({ databaseUrl: t.databaseUrl });
    const { gate } = app.services;
    let leave = () => {};
    const free = new Promise<void>((done) => {
      leave = done;
    });
    app.services.gate = {
      ...gate,
      tryEnter: () => undefined,
      enter: (org) => free.then(() => gate.enter(org)),
    };
    const waiting = app.api.get('/projects', org.asOwner);
    must(await t.api.patch('/org-features/require_mfa', { ...org.asOwner, body: { enabled: true } }));
    leave();
    expect((await waiting).error).toBe('permission_error/mfa_required_by_org');
  });

  it('finds findings by id, which a process has looked for before', async () => {
    const org = await register();
    const unknown = await t.api.get(`/findings/${crypto.randomUUID()}`, org.asOwner);
    expect(unknown.status).toBe(404);
    const project = must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Web shop' } }));
    const sent = { ...org.asOwner, body: '{"findings":[{"title":"Weak cipher","severity":"low"}]}' };
    must(await t.api.post(`/projects/${project.id}/reports`, sent));
    const [{ id }] = must(await t.api.get('/findings', org.asOwner));
    expect(must(await t.api.get(`/findings/${id}`, org.asOwner)).title).toBe('Weak cipher');
  });

  it('that fails at its last step changes nothing, and the next one creates them', async () => {
    const org = await register();
    // After the tables and the list of their migrations.
    await sql(`create function shared.refuse() returns trigger language plpgsql as
      $$ begin raise 'the disk is on fire'; end $$;
      create trigger refuse before update of schema_version on shared.orgs
        for each row when (new.id = '${org.id}') execute function shared.refuse()`);
    const create = () => t.api.post('/projects', { ...org.asOwner, body: { name: 'Web shop' } });
    expect((await create()).error).toBe('server_error/unavailable');
    expect(await stateOf(org)).toEqual(NONE);
    const steps = await sql('select name from shared.org_migrations where org_id = $1', [org.id]);
    expect([...steps]).toEqual([]);
    expect(must(await t.api.get('/projects', org.asOwner))).toEqual([]);
    await sql('drop trigger refuse on shared.orgs');
    must(await create());
    expect(await isComplete(org)).toBe(true);
  });

  it('that fails to create them changes nothing, and the next one creates them', async () => {
    const org = await register();
    await sql(`create schema "${orgSchemaName(org.id)}"`);
    const create = () => t.api.post('/projects', { ...org.asOwner, body: { name: 'Web shop' } });
    const failed = await create();
    expect([failed.status, failed.error]).toEqual([500, 'server_error/unavailable']);
    expect(await stateOf(org)).toEqual(NONE);
    expect(must(await t.api.get('/projects', org.asOwner))).toEqual([]);
    await sql(`drop schema "${orgSchemaName(org.id)}"`);
    must(await create());
    expect(await isComplete(org)).toBe(true);
  });
});

describe('no tables are created', () => {
  it('by strangers, members with too low a role, tokens with too few scopes, and malformed requests', async () => {
    const [org, stranger, viewer] = [await register(), await createUser(t.api), await createUser(t.api)];
    // Inviting creates tables. Organizations of older versions may have members and no tables.
    await sql("insert into shared.memberships values ($1, $2, 'viewer', now())", [org.id, viewer.id]);
    const script = { name: 'script', scopes: ['read'], expires_in: 30 };
    const { token } = must(await t.api.post('/profile/tokens', { ...org.asOwner, body: script }));
    const body = { name: 'Web shop' };
    const requests: [object, number][] = [
      [{ org: org.slug, body }, 401],
      [{ org: org.slug, cookie: stranger.cookie, body }, 403],
      [{ org: org.slug, cookie: viewer.cookie, body }, 403],
      [{ org: org.slug, token, body }, 403],
      [{ org: org.slug, token: `svc_${'0'.repeat(32)}`, body }, 401],
      [{ ...org.asOwner, body: { name: 5 } }, 400],
    ];
    for (const [options, status] of requests)
      expect((await t.api.post('/projects', options)).status).toBe(status);
    const finding = await t.api.post('/agent/findings', {
      token: `svc_${'0'.repeat(32)}`,
      org: org.slug,
      body: {},
    });
    expect(finding.status).toBe(401);
    expect(await stateOf(org)).toEqual(NONE);
  });
});

describe('a request that found the organization without tables', () => {
  /** The organization as such a request knows it, with tables that were created meanwhile. */
  async function overtaken() {
    const org = await register();
    const known = await t.services.orgs.named(org.slug);
    if (!known) throw new Error('no organization');
    const project = must(await other.api.post('/projects', { ...org.asOwner, body: { name: 'Web shop' } }));
    return { org, known, project };
  }

  it('gets the tables with the lock', async () => {
    const { org, known } = await overtaken();
    const tables = await t.services.database.db.transaction((tx) => lockOrgTables(tx, known));
    expect(tables.schema.schemaName).toBe(orgSchemaName(org.id));
    const { tables: own } = await withOwnTables(t.services, known);
    expect(own.schema.schemaName).toBe(orgSchemaName(org.id));
  });

  it('suspends the tokens when it deletes the organization', async () => {
    const { org, known, project } = await overtaken();
    const path = `/projects/${project.id}/tokens`;
    const { token } = must(await other.api.post(path, { ...org.asOwner, body: { name: 'ci' } }));
    const actor = { now: new Date(), writeMail: async () => {} };
    expect(await deleteOrganization(t.services.database.db, known, org.slug, actor)).toMatchObject({
      kind: 'deleted',
    });
    const pushed = await other.api.get(`/agent/findings?project_id=${project.id}`, { token, org: org.slug });
    expect(pushed.error).toBe('tenant_error/deleted');
  });
});
