import { beforeAll, describe, expect, it } from 'vitest';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { type Answer, type CallOptions, createUser, must, type TestUser } from '../support/api/api.ts';
import { createTables } from '../support/database/own-tables.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let ada: TestUser;

beforeAll(async () => {
  t = await startApp();
  ada = await createUser(t.api);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const newSlug = () => `acme-${crypto.randomUUID().slice(0, 8)}`;
const create = (body: object, { cookie } = ada, app = t) => app.api.post('/orgs', { cookie, body });
const schemaOf = (id: string) => `org_${id.replaceAll('-', '')}`;

/** Creates an organization with tables: they come with its first write. */
async function createUsed(body: { name: string }, app = t) {
  const org = must(await create({ ...body, slug: newSlug() }, ada, app));
  await createTables(app, org.slug);
  return org;
}

/** Organizations that should have a schema and have none, and schemas without an organization. */
async function halves(): Promise<string[]> {
  const rows = await sql(`
    select coalesce(nspname, slug) as name
    from (select slug, 'org_' || replace(id::text, '-', '') as schema from shared.orgs where schema_version > 0) o
    full join (select nspname from pg_namespace where nspname like 'org\\_%') n on n.nspname = o.schema
    where schema is null or nspname is null`);
  return rows.map(({ name }) => name);
}

describe('creating an organization', () => {
  it('makes the caller its owner', async () => {
    const slug = newSlug();
    const answer = await create({ name: 'Acme', slug, plan: 'enterprise' });
    expect(answer.status).toBe(201);
    expect(answer.result).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      name: 'Acme',
      slug,
      plan: 'enterprise',
      role: 'owner',
      schema_version: orgMigrations.length,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(must(await t.api.get(`/orgs/${slug}`, { cookie: ada.cookie }))).toEqual(answer.result);
  });

  it('gives it a data area of its own with the first write, and its flags are switched off', async () => {
    const { id, slug } = await createUsed({ name: 'Acme' });
    const [found] = await sql('select nspname from pg_namespace where nspname = $1', [schemaOf(id)]);
    expect(found?.nspname).toMatch(/^org_[a-f0-9]{32}$/);
    expect(must(await t.api.get('/org-features', { cookie: ada.cookie, org: slug }))).toMatchObject([
      { name: 'org_wide_tokens', provisioned: true, enabled: false },
      { name: 'require_mfa', provisioned: true, enabled: false },
    ]);
  });

  it('makes slug and plan when they are omitted', async () => {
    const { cookie } = ada;
    const [first, second] = [
      must(await t.api.post('/orgs', { cookie, body: { name: 'Löwe & Söhne' } })),
      must(await t.api.post('/orgs', { cookie, body: { name: 'Löwe & Söhne', slug: null, plan: null } })),
    ];
    expect(first).toMatchObject({ slug: 'lowe-sohne', plan: 'free' });
    expect(second).toMatchObject({ slug: expect.stringMatching(/^lowe-sohne-./), plan: 'free' });
  });

  it('never makes a reserved slug', async () => {
    expect(must(await create({ name: 'Dashboard' })).slug).toMatch(/^dashboard-./);
  });

  it.each(['abc', 'a1b', '123', 'a--b', 'a-b-c', 'x'.repeat(50)])('takes the slug %s', async (slug) => {
    expect(must(await create({ name: 'Acme', slug })).slug).toBe(slug);
  });

  it.each(['', 'ab', 'x'.repeat(51), 'Acme', 'acme.corp', '-acme', 'acme-', 'acme\n'])(
    'refuses the slug %j',
    async (slug) => {
      const answer = await create({ name: 'Acme', slug });
      expect(answer.refusal).toBe('400 validation_error/field_invalid slug');
    },
  );

  // The whole list, word for word as the API contract has it.
  const RESERVED =
    `admin dashboard api app www mail smtp ftp auth login register signup billing payment support help docs
    blog status health metrics monitoring grafana prometheus static assets cdn media root system internal private agent
    scanner security test staging dev prod console portal account settings webhook webhooks callback oauth`.split(
      /\s+/,
    );

  it('has 47 reserved slugs', () => expect(new Set(RESERVED)).toHaveProperty('size', 47));

  it.each(RESERVED)('refuses the reserved slug %s', async (slug) => {
    expect(outcome(await create({ name: 'Acme', slug }))).toEqual([409, 'tenant_error/slug_reserved']);
  });

  it('refuses a slug that is taken, by whomever', async () => {
    const slug = newSlug();
    must(await create({ name: 'First', slug }));
    const stranger = await createUser(t.api);
    for (const user of [ada, stranger])
      expect(outcome(await create({ name: 'Second', slug }, user))).toEqual([409, 'tenant_error/slug_taken']);
  });

  it.each([[{ slug: 'A', plan: 'gold' }, 'field_required', ['name', 'plan', 'slug']]])(
    'refuses the body %j',
    async (body, code, fields) => {
      const answer = await create(body);
      expect([...outcome(answer), answer.badFields.sort()]).toEqual([
        400,
        `validation_error/${code}`,
        fields,
      ]);
    },
  );

  it('of one slug in parallel has one winner', async () => {
    const slug = newSlug();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Race', slug })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(answers.filter(({ error }) => error === 'tenant_error/slug_taken')).toHaveLength(7);
    expect(await halves()).toEqual([]);
  });

  it('of one name in parallel makes as many organizations', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'Same Name' })));
    expect(new Set(answers.map((answer) => must(answer).slug)).size).toBe(5);
    expect(await halves()).toEqual([]);
  });

  it('leaves nothing behind when it fails half way', async () => {
    const broken = await startApp({ databaseUrl: t.databaseUrl });
    broken.services.nextId = () => ({ ...t.services.nextId(), id: 'not an id' });
    const slug = newSlug();
    expect((await create({ name: 'Half', slug }, ada, broken)).refusal).toBe('500 server_error/internal');
    expect([...(await sql('select id from shared.orgs where slug = $1', [slug]))]).toEqual([]);
    expect((await create({ name: 'Whole', slug })).status).toBe(201);
  });
});

describe('reading organizations', () => {
  it("lists the user's own, newest first, each with the role", async () => {
    const user = await createUser(t.api, 'Grace Hopper');
    const second = must(await create({ name: 'Second' }, user));
    const foreign = must(await create({ name: 'Foreign' }));
    await sql("insert into shared.memberships values ($1, $2, 'viewer', now())", [foreign.id, user.id]);
    const listed = must(await t.api.get('/orgs', { cookie: user.cookie }));
    expect(listed).toEqual([
      { ...foreign, role: 'viewer' },
      second,
      expect.objectContaining({ name: "Grace Hopper's Org", role: 'owner' }),
    ]);
  });

  it('shows the custom domain of one that has it', async () => {
    const made = must(await create({ name: 'Acme', slug: newSlug() }));
    expect(made).not.toHaveProperty('custom_domain');
    const domain = `${newSlug()}.example`;
    await sql('update shared.orgs set custom_domain = $2 where id = $1', [made.id, domain]);
    expect(must(await t.api.get(`/orgs/${made.slug}`, { cookie: ada.cookie })).custom_domain).toBe(domain);
  });

  it('tells nobody else that one exists', async () => {
    const { slug } = must(await create({ name: 'Acme', slug: newSlug() }));
    const { cookie } = await createUser(t.api);
    const [foreign, unknown] = [
      await t.api.get(`/orgs/${slug}`, { cookie }),
      await t.api.get(`/orgs/${newSlug()}`, { cookie }),
    ];
    expect(outcome(foreign)).toEqual([404, 'resource_error/not_found']);
    expect(foreign.json.errors).toEqual(unknown.json.errors);
  });
});

/** Which of two organizations a request reaches: each has one project, named like its slug. */
async function reached(app: TestApp, options: CallOptions): Promise<string> {
  const answer = await app.api.get('/projects', { cookie: ada.cookie, ...options });
  return answer.error ?? answer.result[0].name;
}

/** An org of Ada's with a project named like its slug. */
async function createNamed(domain?: string): Promise<string> {
  const slug = newSlug();
  const { id } = must(await create({ name: slug, slug }));
  must(await t.api.post('/projects', { cookie: ada.cookie, org: slug, body: { name: slug } }));
  if (domain) await sql('update shared.orgs set custom_domain = $2 where id = $1', [id, domain]);
  return slug;
}

describe('without a base domain, a request is addressed', () => {
  it('by a custom domain from the moment it moves', async () => {
    const domain = `${newSlug()}.example`;
    const [slug, other] = [await createNamed(domain), await createNamed()];
    expect(await reached(t, { host: domain })).toBe(slug);
    await sql('update shared.orgs set custom_domain = null where slug = $1', [slug]);
    await sql('update shared.orgs set custom_domain = $2 where slug = $1', [other, domain]);
    expect(await reached(t, { host: domain })).toBe(other);
  });
});

describe('an organization that is behind', () => {
  const NEXT = {
    name: '9999_probe',
    hash: 'x',
    statements: ['create table "org_template".probe (id int)', 'insert into "org_template".probe values (7)'],
  };
  const upgraded = (extra = NEXT) =>
    startApp({ databaseUrl: t.databaseUrl, orgMigrations: [...orgMigrations, extra] });

  it('is migrated by the request that names it', async () => {
    const newer = await upgraded();
    const { id, slug, schema_version } = await createUsed({ name: 'Old' });
    expect(await newer.api.get('/projects', { cookie: ada.cookie, org: slug })).toMatchObject({
      status: 200,
      result: [],
    });
    expect(must(await newer.api.get(`/orgs/${slug}`, { cookie: ada.cookie })).schema_version).toBe(
      schema_version + 1,
    );
    expect([...(await sql(`select id from ${schemaOf(id)}.probe`))]).toEqual([{ id: 7 }]);
  });

  it('is migrated once by many requests through several processes', async () => {
    const apps = [await upgraded(), await upgraded()];
    const { id, slug } = await createUsed({ name: 'Old' });
    const answers = await Promise.all(
      apps.flatMap((app) =>
        Array.from({ length: 5 }, () => app.api.get('/projects', { cookie: ada.cookie, org: slug })),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect([...(await sql(`select id from ${schemaOf(id)}.probe`))]).toEqual([{ id: 7 }]);
  });

  it('comes from the first step as well', async () => {
    const oldest = await startApp({ databaseUrl: t.databaseUrl, orgMigrations: orgMigrations.slice(0, 1) });
    const { slug, schema_version } = await createUsed({ name: 'Oldest' }, oldest);
    expect(schema_version).toBe(1);
    expect((await t.api.get('/projects', { cookie: ada.cookie, org: slug })).status).toBe(200);
    expect(must(await t.api.get(`/orgs/${slug}`, { cookie: ada.cookie })).schema_version).toBe(
      orgMigrations.length,
    );
  });

  it('is left as it was when its migration fails, and only it is unavailable', async () => {
    const { id, slug } = await createUsed({ name: 'Stuck' });
    const other = await createUsed({ name: 'Fine' });
    await sql(`create table ${schemaOf(id)}.probe (id int)`);
    const newer = await upgraded();
    const get = (org: string) => newer.api.get('/projects', { cookie: ada.cookie, org });
    expect(outcome(await get(slug))).toEqual([500, 'server_error/unavailable']);
    expect((await get(other.slug)).status).toBe(200);
    expect(must(await newer.api.get(`/orgs/${slug}`, { cookie: ada.cookie })).schema_version).toBe(
      orgMigrations.length,
    );
    await sql(`drop table ${schemaOf(id)}.probe`);
    await expect.poll(async () => (await get(slug)).status, { timeout: 10_000 }).toBe(200);
  });

  it('is served all the same by a process that is behind itself', async () => {
    const newer = await upgraded();
    const { slug } = await createUsed({ name: 'New' }, newer);
    expect((await t.api.get('/projects', { cookie: ada.cookie, org: slug })).status).toBe(200);
  });
});
