import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { provisionOrgFlag } from '../../lib/admin/org-flags.ts';
import { type Answer, addMember, createOrg, finding, must, type TestOrg } from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
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

beforeEach(async () => {
  await provision(true);
  await enable(true);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const schema = () => `org_${org.id.replaceAll('-', '')}`;

/** Sets the flag as the owner, and as an administrator. */
const enable = async (enabled: boolean) =>
  must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled } }));
const provision = (provisioned: boolean) =>
  provisionOrgFlag(
    { ...t.services, migrations: t.services.orgMigrations },
    org.slug,
    'org_wide_tokens',
    provisioned,
  );

const create = (body: object = {}, who: object = org.asOwner) =>
  t.api.post('/tokens', { ...who, body: { name: 'fleet', ...body } });
const createForProject = async (projectId = org.projectId) =>
  must(await t.api.post(`/projects/${projectId}/tokens`, { ...org.asOwner, body: { name: 'ci' } }));
const list = async (who: object = org.asOwner) => must(await t.api.get('/tokens', who));
const revoke = (id: string) => t.api.delete(`/tokens/${id}`, org.asOwner);
const newProject = async (): Promise<string> =>
  must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Another shop' } })).id;

/** Uses a token. */
const use = (token: string, projectId = org.projectId, app = t, slug = org.slug) =>
  app.api.get(`/agent/findings?project_id=${projectId}`, { token, org: slug });

const FEATURE_DISABLED = [403, 'permission_error/feature_disabled'];
const INVALID = [401, 'token_error/invalid'];
const NOT_FOUND = [404, 'resource_error/not_found'];

describe('a member whose access changes at the same time', () => {
  it.each([
    ['an org-wide token', 'is demoted', `update shared.memberships set role = 'member'`, 403],
    ['an org-wide token', 'is removed', 'delete from shared.memberships', 403],
    ['a project token', 'is removed', 'delete from shared.memberships', 403],
  ])('gets no token: %s, the member %s', async (kind, _, change, status) => {
    const { sql: client } = t.services.database;
    const admin = await addMember(t.api, org, 'admin');
    const before = (await list()).length;
    let creating: Promise<Answer> | undefined;
    await client.begin(async (tx) => {
      // As what changes members does.
      await tx.unsafe(`select 1 from shared.orgs where id = '${org.id}' for no key update`);
      const path = kind === 'a project token' ? `/projects/${org.projectId}/tokens` : '/tokens';
      creating = t.api.post(path, { cookie: admin.cookie, org: org.slug, body: { name: 'late' } });
      await untilBlocked(client);
      await tx.unsafe(`${change} where org_id = '${org.id}' and user_id = '${admin.id}'`);
    });
    expect((await creating)?.status).toBe(status);
    expect(await list()).toHaveLength(before);
  });
});

describe('an org-wide token', () => {
  it('is shown once, when it is made', async () => {
    const answer = await create({ name: '  fleet  ' });
    const { token, info } = answer.result;
    expect(answer.status).toBe(201);
    expect(token).toMatch(/^svc_[0-9a-f]{32}$/);
    expect(info).toEqual({
      id: expect.stringMatching(UUID_V7),
      project_id: '',
      name: 'fleet',
      prefix: token.slice(0, 12),
      scopes: ['ingest'],
      created_by: org.owner.id,
      revoked: false,
      created_at: expect.stringMatching(TIME),
    });
  });

  it('does for every project what agents do', async () => {
    const { token } = must(await create());
    const as = { token, org: org.slug };
    for (const projectId of [org.projectId, await newProject()]) {
      const scan_id = `scan-${projectId.slice(-8)}`;
      const scan = { scan_id, project_id: projectId, persona: 'senku' };
      must(await t.api.post('/agent/scans', { ...as, body: scan }));
      const body = finding({ ...org, projectId }, scan_id);
      const { id } = must(await t.api.post('/agent/findings', { ...as, body }));
      const exploit = { filename: 'poc.py', language: 'python', code: 'print(1)' };
      must(await t.api.post(`/agent/findings/${id}/exploits`, { ...as, body: exploit }));
      must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
      must(await t.api.patch(`/agent/findings/${id}`, { ...as, body: { status: 'verified' } }));
      const ended = await t.api.patch(`/agent/scans/${scan_id}`, { ...as, body: { status: 'completed' } });
      expect(must(ended).summary.total).toBe(1);
      expect(must(await use(token, projectId))).toMatchObject([
        { id, project_id: projectId, status: 'verified' },
      ]);
    }
  });

  it('does not find a project that does not exist', async () => {
    const { token } = must(await create());
    const as = { token, org: org.slug };
    const scan = { scan_id: 'scan', project_id: crypto.randomUUID(), persona: 'senku' };
    expect(outcome(await t.api.post('/agent/scans', { ...as, body: scan }))).toEqual(NOT_FOUND);
    expect(outcome(await use(token, crypto.randomUUID()))).toEqual(NOT_FOUND);
  });

  it('is none of a project', async () => {
    const { token, info } = must(await create());
    const path = `/projects/${org.projectId}/tokens`;
    expect(must(await t.api.get(path, org.asOwner))).not.toContainEqual(
      expect.objectContaining({ id: info.id }),
    );
    expect((await t.api.delete(`${path}/${info.id}`, org.asOwner)).refusal).toBe(
      '403 token_error/scope_mismatch',
    );
    expect((await use(token)).status).toBe(200);
  });

  it.each([{}, { expires_in: 0 }, { expires_in: null }])('never expires with %j', async (body) => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const { token, info } = must(await create(body));
    expect(info).not.toHaveProperty('expires_at');
    later.advance(10_000 * DAY);
    expect((await use(token, org.projectId, later)).status).toBe(200);
  });

  it('expires after the days asked for', async () => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const { token, info } = must(await create({ expires_in: 5 }));
    expect(Date.parse(info.expires_at) - Date.parse(info.created_at)).toBe(5 * DAY);
    later.advance(5 * DAY - 60_000);
    expect((await use(token, org.projectId, later)).status).toBe(200);
    later.advance(60_000);
    expect(outcome(await use(token, org.projectId, later))).toEqual([401, 'token_error/expired']);
  });

  it('may be asked for with the longest name and time', async () => {
    const name = '🙂'.repeat(100);
    expect(must(await create({ name, expires_in: 36_500 })).info.name).toBe(name);
  });

  it.each([
    [{ name: '' }, 'field_invalid', ['name']],
    [{ name: 'x'.repeat(101) }, 'field_invalid', ['name']],
    [{ expires_in: -1 }, 'field_invalid', ['expires_in']],
    [{ expires_in: 1.5 }, 'field_invalid', ['expires_in']],
    [{ expires_in: 36_501 }, 'field_invalid', ['expires_in']],
    [{ name: undefined, expires_in: -1 }, 'field_required', ['expires_in', 'name']],
  ])('is not made of %j', async (body, code, fields) => {
    const before = await list();
    const answer = await create(body);
    expect([...outcome(answer), answer.badFields.sort()]).toEqual([400, `validation_error/${code}`, fields]);
    expect(await list()).toEqual(before);
  });
});

describe('the flag org_wide_tokens', () => {
  it.each([
    [true, false],
    [false, true],
    [false, false],
  ])('with provisioned %s and enabled %s lets nobody make one', async (provisioned, enabled) => {
    const before = await list();
    await enable(enabled);
    await provision(provisioned);
    expect(outcome(await create())).toEqual(FEATURE_DISABLED);
    expect(await list()).toEqual(before);
  });

  it.each([
    ['switched off', () => enable(false)],
    ['withdrawn', () => provision(false)],
  ])('leaves the tokens there are when it is %s, to be used, seen and revoked', async (_, change) => {
    const { token, info } = must(await create());
    await change();
    expect((await use(token)).status).toBe(200);
    expect(await list()).toContainEqual(expect.objectContaining({ id: info.id, revoked: false }));
    expect((await revoke(info.id)).status).toBe(204);
    expect(outcome(await use(token))).toEqual(INVALID);
  });

  it('is no matter to the tokens of projects', async () => {
    await enable(false);
    const { token, info } = await createForProject();
    expect((await use(token)).status).toBe(200);
    expect((await revoke(info.id)).status).toBe(204);
  });
});

describe('the tokens of an organization', () => {
  it('are listed newest first, those of projects too', async () => {
    const made = [
      must(await create()).info,
      (await createForProject()).info,
      must(await create({ expires_in: 1 })).info,
      (await createForProject(await newProject())).info,
    ];
    const listed = await list();
    expect(listed.slice(0, 4)).toEqual(made.reverse());
    expect(listed.at(-1)).toMatchObject({ id: org.tokenId, project_id: org.projectId });
  });

  it('are never shown in full, nor their hashes', async () => {
    const tokens = [must(await create()).token, (await createForProject()).token, org.token];
    const { text } = await t.api.get('/tokens', org.asOwner);
    for (const token of tokens) {
      expect(text).toContain(token.slice(0, 12));
      expect(text).not.toContain(token.slice(12));
      expect(text).not.toContain(createHash('sha256').update(token).digest('hex'));
    }
  });

  it('are kept as a hash', async () => {
    const { token, info } = must(await create());
    const [row] = await sql(
      `select t::text as text, token_hash from ${schema()}.api_tokens t where id = $1`,
      [info.id],
    );
    expect(row?.token_hash).toBe(createHash('sha256').update(token).digest('hex'));
    expect(row?.text).not.toContain(token.slice(12));
  });

  it('show when they were used last', async () => {
    const { token } = must(await create());
    expect((await list())[0]).not.toHaveProperty('last_used');
    must(await use(token));
    expect((await list())[0].last_used).toMatch(TIME);
  });

  it('are refused from the moment they are revoked, for good', async () => {
    for (const { token, info } of [must(await create()), await createForProject()]) {
      must(await use(token));
      for (let i = 0; i < 2; i++) {
        const answer = await revoke(info.id);
        expect([answer.status, answer.text]).toEqual([204, '']);
        expect(outcome(await use(token))).toEqual(INVALID);
      }
      expect((await list()).find(({ id }: { id: string }) => id === info.id).revoked).toBe(true);
    }
  });
});

describe('a failing database', () => {
  it('is not taken for a project that is not the token’s', async () => {
    const body = { scan_id: crypto.randomUUID(), project_id: org.projectId, persona: 'sharingan' };
    const register = () => t.api.post('/agent/scans', { ...org.asAgent, body });
    // As good as one that is lost in between: what comes before it succeeds.
    await sql(`alter table "${schema()}".projects rename to away`);
    try {
      expect(outcome(await register())).toEqual([500, 'server_error/internal']);
    } finally {
      await sql(`alter table "${schema()}".away rename to projects`);
    }
    expect((await register()).status).toBe(201);
  });
});
