import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createOrg, createUser, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;
const DAY = 24 * 60 * 60_000;

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

/** A member of the org with a role. */
async function member(role: string) {
  const user = await createUser(t.api);
  await sql('insert into shared.memberships values ($1, $2, $3, now())', [org.id, user.id, role]);
  return { id: user.id, as: { cookie: user.cookie, org: org.slug } };
}

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
      expect([...outcome(answer), answer.badFields]).toEqual([
        400,
        'validation_error/field_invalid',
        ['slug'],
      ]);
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
    [{}, 'field_required', ['name']],
    [{ slug: 'A' }, 'field_required', ['name', 'slug']],
    [{ name: '' }, 'field_invalid', ['name']],
    [{ name: 'x'.repeat(201) }, 'field_invalid', ['name']],
    [{ name: 'a\0b' }, 'field_invalid', ['name']],
    [{ name: ['Shop'] }, 'field_invalid', ['name']],
  ])('refuses the body %j', async (body, code, fields) => {
    const answer = await create(body);
    expect([...outcome(answer), answer.badFields.sort()]).toEqual([400, `validation_error/${code}`, fields]);
  });

  it.each(['member', 'admin', 'owner'])('is allowed to a %s', async (role) => {
    expect((await create({ name: 'Shop' }, (await member(role)).as)).status).toBe(201);
  });

  it('is not allowed to a viewer', async () => {
    const viewer = (await member('viewer')).as;
    const name = `Forbidden ${unique()}`;
    expect(outcome(await create({ name }, viewer))).toEqual([403, 'permission_error/denied']);
    expect([...(await sql(`select id from ${schema()}.projects where name = $1`, [name]))]).toEqual([]);
  });
});

describe('reading projects', () => {
  it('gives one by slug and by id', async () => {
    const project = must(await create({ name: `Shop ${unique()}` }));
    expect(must(await get(project.slug))).toEqual(project);
    expect(must(await get(project.id))).toEqual(project);
    expect(must(await get(project.id.toUpperCase()))).toEqual(project);
  });

  it('prefers the slug when one looks like the id of another', async () => {
    const victim = must(await create({ name: 'Victim' }));
    const twin = must(await create({ name: 'Twin', slug: victim.id }));
    expect(must(await get(victim.id))).toEqual(twin);
  });

  it.each(['no-such-project', crypto.randomUUID(), '%00', 'x'.repeat(500), "'%20or%20true"])(
    'answers 404 for %s',
    async (slug) => {
      expect(outcome(await get(slug))).toEqual([404, 'resource_error/not_found']);
    },
  );

  it('lists them by name', async () => {
    const { asOwner } = await createOrg(t.api);
    expect(must(await t.api.get('/projects', asOwner))).toHaveLength(1);
    for (const name of ['beta', 'alpha', 'gamma']) must(await create({ name }, asOwner));
    const names = must(await t.api.get('/projects', asOwner)).map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name !== 'Web shop')).toEqual(['alpha', 'beta', 'gamma']);
  });

  it('shows a viewer the same as the owner', async () => {
    const viewer = (await member('viewer')).as;
    const { id } = must(await create({ name: 'Shown' }));
    expect(must(await t.api.get(`/projects/${id}`, viewer))).toEqual(must(await get(id)));
    expect(must(await t.api.get('/projects', viewer))).toEqual(
      must(await t.api.get('/projects', org.asOwner)),
    );
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

  it('are kept as a hash', async () => {
    const { token, info } = must(await createToken(await newProject()));
    const [row] = await sql(
      `select t::text as text, token_hash from ${schema()}.api_tokens t where id = $1`,
      [info.id],
    );
    expect(row?.token_hash).toBe(createHash('sha256').update(token).digest('hex'));
    expect(row?.text).not.toContain(token.slice(12));
  });

  it('are listed for their project, newest first', async () => {
    const projectId = await newProject();
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) made.push(must(await createToken(projectId, { name })).info.id);
    must(await createToken(await newProject()));
    expect((await list(projectId)).map(({ id }: { id: string }) => id)).toEqual(made.reverse());
  });

  it('show when they were used last', async () => {
    const projectId = await newProject();
    const { token } = must(await createToken(projectId));
    must(await use(token, projectId));
    expect((await list(projectId))[0].last_used).toMatch(TIME);
  });

  it.each([{}, { expires_in: 0 }, { expires_in: null }])('never expire with %j', async (body) => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const projectId = await newProject();
    const { token, info } = must(await createToken(projectId, body));
    expect(info).not.toHaveProperty('expires_at');
    later.advance(10_000 * DAY);
    expect((await use(token, projectId, later)).status).toBe(200);
  });

  it('expire after the days asked for', async () => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const projectId = await newProject();
    const { token, info } = must(await createToken(projectId, { expires_in: 5 }));
    expect(Date.parse(info.expires_at) - Date.parse(info.created_at)).toBe(5 * DAY);
    later.advance(5 * DAY - 60_000);
    expect((await use(token, projectId, later)).status).toBe(200);
    later.advance(60_000);
    expect(outcome(await use(token, projectId, later))).toEqual([401, 'token_error/expired']);
  });

  it.each([
    [{ name: undefined }, 'field_required', ['name']],
    [{ name: '' }, 'field_invalid', ['name']],
    [{ name: 'x'.repeat(101) }, 'field_invalid', ['name']],
    [{ expires_in: -1 }, 'field_invalid', ['expires_in']],
    [{ expires_in: 1.5 }, 'field_invalid', ['expires_in']],
    [{ expires_in: '5' }, 'field_invalid', ['expires_in']],
    [{ expires_in: 1e9 }, 'field_invalid', ['expires_in']],
    [{ name: undefined, expires_in: -1 }, 'field_required', ['expires_in', 'name']],
  ])('are not made of %j', async (body, code, fields) => {
    const answer = await createToken(org.projectId, body);
    expect([...outcome(answer), answer.badFields.sort()]).toEqual([400, `validation_error/${code}`, fields]);
  });

  it('may have a name of 100 characters', async () => {
    const name = '🙂'.repeat(100);
    expect(must(await createToken(org.projectId, { name })).info.name).toBe(name);
  });

  it.each([crypto.randomUUID(), 'web-shop', '1', '%00'])('of the project %s do not exist', async (id) => {
    const notFound = [404, 'resource_error/not_found'];
    expect(outcome(await createToken(id))).toEqual(notFound);
    expect(outcome(await t.api.get(`/projects/${id}/tokens`, org.asOwner))).toEqual(notFound);
    expect(outcome(await revoke(id, crypto.randomUUID()))).toEqual(notFound);
  });

  it('are refused from the moment they are revoked, for good', async () => {
    const projectId = await newProject();
    const { token, info } = must(await createToken(projectId));
    must(await use(token, projectId));
    for (let i = 0; i < 2; i++) {
      const answer = await revoke(projectId, info.id);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(outcome(await use(token, projectId))).toEqual([401, 'token_error/invalid']);
    }
    expect((await list(projectId))[0]).toMatchObject({ id: info.id, revoked: true });
  });

  it('say that they are revoked rather than expired', async () => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const projectId = await newProject();
    const { token, info } = must(await createToken(projectId, { expires_in: 1 }));
    await revoke(projectId, info.id);
    later.advance(2 * DAY);
    expect(outcome(await use(token, projectId, later))).toEqual([401, 'token_error/invalid']);
  });

  it('are not revoked through another project', async () => {
    const projectId = await newProject();
    const { token, info } = must(await createToken(projectId));
    for (const other of [org.projectId, crypto.randomUUID()])
      expect(outcome(await revoke(other, info.id))).toEqual([403, 'token_error/scope_mismatch']);
    expect((await use(token, projectId)).status).toBe(200);
  });

  it.each([crypto.randomUUID(), 'x', '%00'])('with the unknown id %s are not revoked', async (id) => {
    expect(outcome(await revoke(org.projectId, id))).toEqual([404, 'resource_error/not_found']);
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

  it.each(['viewer', 'member', 'admin', 'owner'])('are managed by a %s', async (role) => {
    const { id, as } = await member(role);
    const projectId = await newProject();
    const { info } = must(await createToken(projectId, {}, as));
    expect(info.created_by).toBe(id);
    expect(must(await t.api.get(`/projects/${projectId}/tokens`, as))).toEqual([info]);
    expect((await revoke(projectId, info.id, as)).status).toBe(204);
  });
});
