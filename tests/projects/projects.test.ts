import { beforeAll, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { type Answer, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const unique = () => crypto.randomUUID().slice(0, 8);
const schema = () => `org_${org.id.replaceAll('-', '')}`;
const create = (body: object, who: object = org.asOwner) => t.api.post('/projects', { ...who, body });
const get = (slug: string) => t.api.get(`/projects/${slug}`, org.asOwner);
const newProject = async (): Promise<string> => must(await create({ name: `Project ${unique()}` })).id;

describe('creating a project', () => {
  it('answers with it', async () => {
    const slug = `shop-${unique()}`;
    const answer = await create({ name: '  Web shop  ', slug });
    expect(answer.status).toBe(201);
    expect(answer.result).toEqual({
      id: expect.stringMatching(UUID_V7),
      name: 'Web shop',
      slug,
      created_at: expect.stringMatching(TIME),
    });
  });

  it('makes the slug from the name, with a suffix when it is taken', async () => {
    const name = `Zürich Shop ${unique()}`;
    const slug = name.toLowerCase().replace('ü', 'u').replaceAll(' ', '-');
    expect(must(await create({ name })).slug).toBe(slug);
    expect(must(await create({ name })).slug).toMatch(new RegExp(`^${slug}-.`));
  });

  it('makes as many projects of one name as are asked for at once', async () => {
    const name = `Crowd ${unique()}`;
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name })));
    expect(new Set(answers.map((answer) => must(answer).slug)).size).toBe(6);
  });

  it.each(['李', 'x', '!', '🙂', 'x'.repeat(200)])('makes an allowed slug of the name %j', async (name) => {
    const { slug } = must(await create({ name }));
    expect(slug).toMatch(/^[a-z0-9][a-z0-9-]*[a-z0-9]$/);
    expect(slug.length).toBeLessThanOrEqual(50);
  });

  it('gives no slug that looks like an id, which could be that of another project', async () => {
    const victim = await newProject();
    for (const slug of [victim, crypto.randomUUID(), '00000000-0000-0000-0000-000000000000']) {
      expect((await create({ name: 'Twin', slug })).error).toBe('validation_error/field_invalid');
      const renamed = await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { slug } });
      expect(renamed.error).toBe('validation_error/field_invalid');
      expect(must(await create({ name: slug })).slug).toMatch(new RegExp(`^${slug}-.`));
    }
  });

  it('keeps such a slug of an older version, unless it is the id of another project', async () => {
    const [victim, twin, old] = [await newProject(), await newProject(), await newProject()];
    const slug = crypto.randomUUID();
    const setSlug = (id: string, to: string) =>
      t.services.database.sql.unsafe(
        `update "${orgSchemaName(org.id)}".projects set slug = '${to}' where id = '${id}'`,
      );
    await setSlug(twin, victim);
    await setSlug(old, slug);
    must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    const { token } = must(await t.api.post('/tokens', { ...org.asOwner, body: { name: 'wide' } }));
    const register = (project: string) =>
      t.api.post('/agent/scans', {
        org: org.slug,
        token,
        body: { scan_id: unique(), project, persona: 'senku' },
      });
    for (const [name, id] of [
      [victim, victim],
      [twin, twin],
      [slug, old],
    ] as const) {
      expect(must(await get(name)).id).toBe(id);
      expect(must(await register(name)).project_id).toBe(id);
    }
  });

  // Reserved are slugs of organizations, which are host names.
  it.each(['API', 'Dashboard'])('knows no reserved slugs: %s', async (name) => {
    expect(must(await create({ name })).slug).toBe(name.toLowerCase());
  });

  it.each(['ab', '12', 'a-b', 'a--b', 'y'.repeat(50)])('takes the slug %s', async (slug) => {
    expect(must(await create({ name: 'Shop', slug })).slug).toBe(slug);
  });

  it.each(['', 'a', 'x'.repeat(51), 'Shop', 'web shop', 'web_shop', '-ab', 'ab-', 'äb', 'ab\n', 7])(
    'refuses the slug %j',
    async (slug) => {
      const answer = await create({ name: 'Shop', slug });
      expect(answer.refusal).toBe('400 validation_error/field_invalid slug');
    },
  );

  it('refuses a slug that is taken', async () => {
    const slug = `shop-${unique()}`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'Shop', slug })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(outcome(await create({ name: 'Shop', slug }))).toEqual([409, 'resource_error/already_exists']);
  });

  it('may use a slug of another organization', async () => {
    const slug = `shop-${unique()}`;
    const other = await createOrg(t.api);
    for (const who of [org.asOwner, other.asOwner])
      expect(must(await create({ name: 'Shop', slug }, who)).slug).toBe(slug);
  });

  it.each([
    [{ slug: 'A' }, 'field_required', ['name', 'slug']],
    [{ name: 'x'.repeat(201) }, 'field_invalid', ['name']],
  ])('refuses the body %j', async (body, code, fields) => {
    const answer = await create(body);
    expect([...outcome(answer), answer.badFields.sort()]).toEqual([400, `validation_error/${code}`, fields]);
  });
});

describe('reading projects', () => {
  it('gives one by slug and by id', async () => {
    const project = must(await create({ name: `Shop ${unique()}` }));
    expect(must(await get(project.slug))).toEqual(project);
    expect(must(await get(project.id))).toEqual(project);
    expect(must(await get(project.id.toUpperCase()))).toEqual(project);
  });

  it('lists them by name', async () => {
    const { asOwner } = await createOrg(t.api);
    expect(must(await t.api.get('/projects', asOwner))).toHaveLength(1);
    for (const name of ['beta', 'alpha', 'gamma']) must(await create({ name }, asOwner));
    const names = must(await t.api.get('/projects', asOwner)).map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name !== 'Web shop')).toEqual(['alpha', 'beta', 'gamma']);
  });
});

describe('project tokens', () => {
  const createToken = (projectId: string, body: object = {}, who: object = org.asOwner) =>
    t.api.post(`/projects/${projectId}/tokens`, { ...who, body: { name: 'ci', ...body } });
  const list = async (projectId: string) =>
    must(await t.api.get(`/projects/${projectId}/tokens`, org.asOwner));
  const revoke = (projectId: string, id: string, who: object = org.asOwner) =>
    t.api.delete(`/projects/${projectId}/tokens/${id}`, who);
  /** Uses a token. */
  const use = (token: string, projectId: string, app = t) =>
    app.api.get(`/agent/findings?project_id=${projectId}`, { token, org: org.slug });

  it('are shown once, when they are made', async () => {
    const projectId = await newProject();
    const answer = await createToken(projectId, { name: '  nightly  ' });
    const { token, info } = answer.result;
    expect(answer.status).toBe(201);
    expect(token).toMatch(/^svc_[0-9a-f]{32}$/);
    expect(info).toEqual({
      id: expect.stringMatching(UUID_V7),
      project_id: projectId,
      name: 'nightly',
      prefix: token.slice(0, 12),
      scopes: ['ingest'],
      created_by: org.owner.id,
      revoked: false,
      created_at: expect.stringMatching(TIME),
    });
    const listed = await t.api.get(`/projects/${projectId}/tokens`, org.asOwner);
    expect(listed.result).toEqual([info]);
    expect(listed.text).not.toContain(token);
  });

  it('are listed for their project, newest first', async () => {
    const projectId = await newProject();
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) made.push(must(await createToken(projectId, { name })).info.id);
    must(await createToken(await newProject()));
    expect((await list(projectId)).map(({ id }: { id: string }) => id)).toEqual(made.reverse());
  });

  it.each([crypto.randomUUID(), 'web-shop', '1', '%00'])('of the project %s do not exist', async (id) => {
    const notFound = [404, 'resource_error/not_found'];
    expect(outcome(await createToken(id))).toEqual(notFound);
    expect(outcome(await t.api.get(`/projects/${id}/tokens`, org.asOwner))).toEqual(notFound);
    expect(outcome(await revoke(id, crypto.randomUUID()))).toEqual(notFound);
  });

  it('are not revoked through another project', async () => {
    const projectId = await newProject();
    const { token, info } = must(await createToken(projectId));
    for (const other of [org.projectId, crypto.randomUUID()])
      expect(outcome(await revoke(other, info.id))).toEqual([403, 'token_error/scope_mismatch']);
    expect((await use(token, projectId)).status).toBe(200);
  });

  it('act on their own project only', async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const { token } = must(await createToken(mine));
    expect((await use(token, mine)).status).toBe(200);
    expect(outcome(await use(token, other))).toEqual([403, 'token_error/scope_mismatch']);
  });

  it('with the same prefix are told apart', async () => {
    const projectId = await newProject();
    const [first, second] = [must(await createToken(projectId)), must(await createToken(projectId))];
    // As if chance had given both the same 32 bits.
    await sql(`update ${schema()}.api_tokens set prefix = $2 where id = $1`, [
      second.info.id,
      first.info.prefix,
    ]);
    expect((await use(first.token, projectId)).status).toBe(200);
    const made = first.token.slice(0, 12) + second.token.slice(12);
    expect(outcome(await use(made, projectId))).toEqual([401, 'token_error/invalid']);
    await revoke(projectId, second.info.id);
    expect((await use(first.token, projectId)).status).toBe(200);
  });
});
