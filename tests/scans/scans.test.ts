import { beforeAll, describe, expect, it } from 'vitest';
import { addProject, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

const register = (body: object) => t.api.post('/agent/scans', { ...org.asAgent, body });
const end = (id: string, body: object) => t.api.patch(`/agent/scans/${id}`, { ...org.asAgent, body });
const valid = (fields: object = {}) => ({
  scan_id: crypto.randomUUID(),
  project_id: org.projectId,
  persona: 'senku',
  ...fields,
});

describe('POST /agent/scans', () => {
  it('registers a running scan', async () => {
    const target = {
      ...{ type: 'repo', path: '.', url: 'https://example.com/shop.git', ref: 'feature' },
      ...{ base_ref: 'main', default_ref: 'trunk', category: 'language:python' },
    };
    const sources = ['semgrep', 'A "tool", {named}\\'];
    const body = valid({ name: 'Nightly', target, commit: '4f2a9c1e6d8b', sources });
    const answer = await register(body);
    expect(answer.status).toBe(201);
    expect(answer.result).toEqual({
      ...body,
      id: body.scan_id,
      status: 'running',
      finding_count: 0,
      created_at: expect.any(String),
      started_at: answer.result.created_at,
    });
    expect(must(await t.api.get(`/scans/${body.scan_id}`, org.asOwner))).toEqual(answer.result);
  });

  it('takes the slug of the project in place of its id', async () => {
    const { project_id, ...body } = valid();
    expect(must(await register({ ...body, project: 'web-shop' })).project_id).toBe(project_id);
    const list = (query: string) => t.api.get(`/agent/findings?${query}`, org.asAgent);
    await push(t.api, org, body.scan_id);
    expect((await list('project=web-shop')).result).toEqual((await list(`project_id=${project_id}`)).result);

    must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Other' } }));
    for (const [project, status, error] of [
      ['other', 403, 'token_error/scope_mismatch'],
      ['nothing', 403, 'token_error/scope_mismatch'],
      ['Not a slug', 400, 'validation_error/field_invalid'],
    ]) {
      const answer = await register({ ...valid({ project_id: undefined }), project });
      expect([answer.status, answer.error]).toEqual([status, error]);
    }
    for (const project of [undefined, null, 7, ['web-shop']]) {
      const answer = await register({ ...valid({ project_id: undefined }), project });
      expect([answer.status, answer.badFields]).toEqual([
        400,
        [project === undefined || project === null ? 'project_id' : 'project'],
      ]);
    }
    const nameless = await register({});
    expect(nameless.error).toBe('validation_error/field_required');
    expect(nameless.badFields).toEqual(expect.arrayContaining(['scan_id', 'project_id', 'persona']));
    expect((await list('')).badFields).toEqual(['project_id']);
  });

  it('ignores project beside project_id, whatever it holds', async () => {
    must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Beside' } }));
    for (const project of ['web-shop', 'beside', 'nothing', 'Not a slug', 7, null, { a: 1 }]) {
      const scan = must(await register(valid({ project })));
      expect(scan.project_id).toBe(org.projectId);
    }
    const list = (query: string) => t.api.get(`/agent/findings?${query}`, org.asAgent);
    const { result } = await list(`project_id=${org.projectId}`);
    for (const query of ['project=beside', 'project=Not%20a%20slug', 'project=a&project=b']) {
      expect((await list(`project_id=${org.projectId}&${query}`)).result).toEqual(result);
    }
    // The id is what counts, also when it is the bad one.
    expect((await register(valid({ project_id: 'nonsense', project: 'web-shop' }))).badFields).toEqual([
      'project_id',
    ]);
  });

  it('makes a name and needs no target', async () => {
    const { name, target, commit } = must(await register(valid({ name: null, commit: '' })));
    expect(name).toMatch(/^senku scan \d{4}-\d\d-\d\dT/);
    expect([target, commit]).toEqual([undefined, undefined]);
  });

  it('names each source once, and none for a scanner that is not known', async () => {
    const sourcesOf = async (sources: unknown) => must(await register(valid({ sources }))).sources;
    expect(await sourcesOf(['b', 'a', 'b'])).toEqual(['b', 'a']);
    expect(await sourcesOf([])).toBeUndefined();
    expect(await sourcesOf(null)).toBeUndefined();
  });

  it('takes any printable scan_id of 1 to 36 characters', async () => {
    for (const scan_id of ['x', 'nightly #7 (main)', 'ü'.repeat(36), '../../etc/passwd', '%2e%2e']) {
      expect((await register(valid({ scan_id }))).status).toBe(201);
      const shown = await t.api.get(`/scans/${encodeURIComponent(scan_id)}`, org.asOwner);
      expect(shown.result.scan_id).toBe(scan_id);
    }
  });

  it('refuses a scan_id that exists', async () => {
    const body = valid();
    const answers = await Promise.all(Array.from({ length: 5 }, () => register(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.error).toBe('resource_error/already_exists');
  });

  it.each([
    [{ scan_id: undefined }, 'field_required', ['scan_id']],
    [{ scan_id: '' }, 'field_invalid', ['scan_id']],
    [{ scan_id: 'x'.repeat(37) }, 'field_invalid', ['scan_id']],
    [{ scan_id: 'a\nb' }, 'field_invalid', ['scan_id']],
    [{ scan_id: 7 }, 'field_invalid', ['scan_id']],
    [{ scan_id: '..' }, 'field_invalid', ['scan_id']],
    [{ project_id: 'mine' }, 'field_invalid', ['project_id']],
    [{ persona: undefined, project_id: undefined }, 'field_required', ['persona', 'project_id']],
    [{ persona: 'gon' }, 'field_invalid', ['persona']],
    [{ name: 'x'.repeat(201) }, 'field_invalid', ['name']],
    [{ target: 'repo' }, 'field_invalid', ['target']],
    [{ target: { url: 7 } }, 'field_invalid', ['target.url']],
    [{ target: { category: 'x'.repeat(256) } }, 'field_invalid', ['target.category']],
    [{ target: { base_ref: 'x'.repeat(2_049) } }, 'field_invalid', ['target.base_ref']],
    [{ target: { default_ref: {} } }, 'field_invalid', ['target.default_ref']],
    [{ sources: Array.from({ length: 21 }, (_, i) => `s${i}`) }, 'field_invalid', ['sources']],
    [{ sources: [''] }, 'field_invalid', ['sources.0']],
    [{ sources: 'semgrep' }, 'field_invalid', ['sources']],
    [{ commit: 'x'.repeat(65) }, 'field_invalid', ['commit']],
    [{ commit: 7 }, 'field_invalid', ['commit']],
  ])('refuses %j', async (fields, code, bad) => {
    const answer = await register(valid(fields));
    expect(answer.refusal).toBe(`400 validation_error/${code} ${bad.join(' ')}`);
  });

  it('refuses a project that is not the token’s', async () => {
    const answer = await register(valid({ project_id: crypto.randomUUID() }));
    expect([answer.status, answer.error]).toEqual([403, 'token_error/scope_mismatch']);
  });
});

describe('PATCH /agent/scans/{id}', () => {
  it('completes a scan with its summary', async () => {
    const scan = await createScan(t.api, org);
    for (const severity of ['critical', 'high', 'high', 'info']) await push(t.api, org, scan, { severity });
    const answer = await end(scan, { status: 'completed' });
    expect(answer.status).toBe(200);
    expect(answer.result).toMatchObject({
      status: 'completed',
      finding_count: 4,
      summary: { total: 4, critical: 1, high: 2, medium: 0, low: 0, info: 1 },
      completed_at: expect.any(String),
    });
    expect(must(await t.api.get(`/scans/${scan}`, org.asOwner))).toEqual(answer.result);
  });

  it('takes the target and the sources of an agent that knows them only then', async () => {
    const [early, late] = [valid({ target: { ref: 'main' }, sources: ['bandit'] }), valid()];
    await Promise.all([register(early), register(late)]);
    const said = { target: { path: 'web', category: 'image' }, sources: ['semgrep'] };
    expect(must(await end(late.scan_id, { status: 'completed', ...said }))).toMatchObject(said);
    expect(must(await end(early.scan_id, { status: 'completed' }))).toMatchObject({
      target: { ref: 'main' },
      sources: ['bandit'],
    });
    expect((await end(early.scan_id, { status: 'completed', sources: [''] })).badFields).toEqual([
      'sources.0',
    ]);
  });

  it('fails a scan with a message', async () => {
    const scan = await createScan(t.api, org);
    const answer = await end(scan, { status: 'failed', error_message: 'terminated by SIGTERM' });
    expect(answer.result).toMatchObject({
      status: 'failed',
      error_message: 'terminated by SIGTERM',
      summary: { total: 0 },
    });
  });

  it('completes a scan with the problems that its scanner reported', async () => {
    const scan = await createScan(t.api, org);
    await push(t.api, org, scan, { severity: 'high' });
    const message = '2 of 31 files could not be parsed.\nsrc/a.py: line 3';
    const answer = await end(scan, { status: 'completed', error_message: message });
    expect(answer.result).toMatchObject({
      status: 'completed',
      error_message: message,
      summary: { total: 1, high: 1 },
    });
    expect(must(await t.api.get(`/scans/${scan}`, org.asOwner))).toEqual(answer.result);
    const listed = must(await t.api.get('/scans?status=completed', org.asOwner));
    expect(listed.filter(({ id }: { id: string }) => id === scan)).toEqual([answer.result]);

    for (const body of [{}, { error_message: 'Another problem.' }, { error_message: null }])
      expect(must(await end(scan, { status: 'completed', ...body }))).toEqual(answer.result);
    expect((await end(scan, { status: 'failed', error_message: message })).status).toBe(409);
    // A late push renews the summary and keeps the message.
    await push(t.api, org, scan, { severity: 'low' });
    expect(must(await t.api.get(`/scans/${scan}`, org.asOwner))).toMatchObject({
      error_message: message,
      summary: { total: 2 },
    });
  });

  it.each(['completed', 'failed'])('ends a scan however long its message is: %s', async (status) => {
    const scan = await createScan(t.api, org);
    const answer = await end(scan, { status, error_message: 'x'.repeat(50_000) });
    expect([answer.status, answer.result.error_message.length]).toEqual([200, 10_000]);
  });

  it('changes nothing the second time, and conflicts the other way', async () => {
    const scan = await createScan(t.api, org);
    const first = must(await end(scan, { status: 'completed' }));
    t.advance(1_000);
    expect(must(await end(scan, { status: 'completed', error_message: 'too late' }))).toEqual(first);
    const other = await end(scan, { status: 'failed' });
    expect([other.status, other.error]).toEqual([409, 'resource_error/conflict']);
    expect(must(await t.api.get(`/scans/${scan}`, org.asOwner))).toEqual(first);
  });

  it('has one winner when both ends come at once', async () => {
    const scan = await createScan(t.api, org);
    const answers = await Promise.all(
      ['completed', 'failed', 'completed', 'failed'].map((status) => end(scan, { status })),
    );
    const { status } = must(await t.api.get(`/scans/${scan}`, org.asOwner));
    expect(
      answers.map((answer, i) => answer.status === (['completed', 'failed'][i % 2] === status ? 200 : 409)),
    ).toEqual(Array(4).fill(true));
  });

  it.each([
    [{ status: 'running' }, 'field_invalid'],
    [{ status: 'done' }, 'field_invalid'],
    [{}, 'field_required'],
    [{ status: 'failed', error_message: 'a\0b' }, 'field_invalid'],
  ])('refuses %j', async (body, code) => {
    const scan = await createScan(t.api, org);
    const answer = await end(scan, body);
    expect([answer.status, answer.error]).toEqual([400, `validation_error/${code}`]);
    expect(must(await t.api.get(`/scans/${scan}`, org.asOwner)).status).toBe('running');
  });

  it('knows no other scan, and none of another project', async () => {
    expect((await end('nope', { status: 'completed' })).error).toBe('resource_error/not_found');
    const scan = await createScan(t.api, org);
    const { asAgent } = await addProject(t.api, org);
    const answer = await t.api.patch(`/agent/scans/${scan}`, { ...asAgent, body: { status: 'completed' } });
    expect([answer.status, answer.error]).toEqual([403, 'token_error/scope_mismatch']);
  });
});

describe('reading scans', () => {
  it('lists them newest first, whole or by page', async () => {
    const fresh = await createOrg(t.api);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      t.advance(5);
      ids.unshift(await createScan(t.api, fresh));
    }
    const all = await t.api.get('/scans', fresh.asOwner);
    expect(all.result.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(all.json).not.toHaveProperty('result_info');
    for (const scan of all.result)
      expect(must(await t.api.get(`/scans/${scan.id}`, fresh.asOwner))).toEqual(scan);
    const page = await t.api.get('/scans?page=2&per_page=2', fresh.asOwner);
    expect(page.result.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(page.json.result_info).toMatchObject({
      total: 3,
      total_pages: 2,
      has_next: false,
      has_prev: true,
    });
  });

  it('narrows to a project and to statuses', async () => {
    const fresh = await createOrg(t.api);
    const other = await addProject(t.api, fresh);
    const project = other.projectId;
    for (const [id, of, status] of [
      ['a', fresh, 'completed'],
      ['b', other, 'completed'],
      ['c', fresh, 'failed'],
      ['d', fresh, undefined],
      ['e', other, undefined],
      ['f', fresh, 'completed'],
    ] as const) {
      t.advance(5);
      await createScan(t.api, of, id);
      if (status) must(await t.api.patch(`/agent/scans/${id}`, { ...of.asAgent, body: { status } }));
    }
    for (const [query, expected] of [
      [`project_id=${project}`, 'eb'],
      [`project_id=${fresh.projectId.toUpperCase()}`, 'fdca'],
      [`project_id=${crypto.randomUUID()}`, ''],
      [`project_id=${org.projectId}`, ''],
      ['status=running', 'ed'],
      ['status=completed,failed', 'fcba'],
      ['status=failed&status=running', 'edc'],
      [`project_id=${fresh.projectId}&status=completed`, 'fa'],
      [`project_id=${project}&status=failed`, ''],
    ] as const) {
      const all = await t.api.get(`/scans?${query}`, fresh.asOwner);
      expect([query, all.result.map(({ id }: { id: string }) => id).join('')]).toEqual([query, expected]);
      // By page it is the same, and the total that of the filter.
      for (const page of [1, 2, 3]) {
        const some = await t.api.get(`/scans?${query}&per_page=2&page=${page}`, fresh.asOwner);
        expect(some.result).toEqual(all.result.slice(2 * page - 2, 2 * page));
        expect(some.json.result_info.total).toBe(expected.length);
      }
    }
  });

  it.each(['status=done', 'status=', 'status=Running', 'project_id=web-shop', 'project_id='])(
    'refuses %s',
    async (query) => {
      const answer = await t.api.get(`/scans?${query}`, org.asOwner);
      expect([answer.status, answer.error, answer.badFields]).toEqual([
        400,
        'validation_error/invalid_request',
        [query.split('=', 1)[0]],
      ]);
    },
  );
});

describe('GET /dashboard/stats', () => {
  it('counts an empty org', async () => {
    const fresh = await createOrg(t.api);
    expect(must(await t.api.get('/dashboard/stats', fresh.asOwner))).toEqual({
      total_scans: 0,
      active_scans: 0,
      total_findings: 0,
      severity_breakdown: { total: 0, critical: 0, high: 0, medium: 0, low: 0, info: 0 },
      recent_findings: [],
    });
  });

  it('counts scans and findings, and shows the newest', async () => {
    const fresh = await createOrg(t.api);
    const [first, second] = [await createScan(t.api, fresh), await createScan(t.api, fresh)];
    for (let i = 0; i < 12; i++) await push(t.api, fresh, first, { severity: i % 2 ? 'low' : 'critical' });
    const known = await push(t.api, fresh, second, { fingerprint: 'known' });
    await push(t.api, fresh, second, { fingerprint: 'known', severity: 'info' });
    must(await t.api.patch(`/agent/scans/${first}`, { ...fresh.asAgent, body: { status: 'completed' } }));
    const stats = must(await t.api.get('/dashboard/stats', fresh.asOwner));
    expect(stats).toMatchObject({
      total_scans: 2,
      active_scans: 1,
      total_findings: 13,
      severity_breakdown: { total: 13, critical: 6, high: 0, medium: 0, low: 6, info: 1 },
    });
    expect(stats.recent_findings).toHaveLength(10);
    const newest = must(await t.api.get(`/findings/${known.id}`, fresh.asOwner));
    expect(stats.recent_findings[0]).toEqual(newest);

    const { description: _, ...brief } = newest;
    const asked = must(await t.api.get('/dashboard/stats?omit=description', fresh.asOwner));
    expect(asked.recent_findings[0]).toEqual(brief);
    const wrong = await t.api.get('/dashboard/stats?omit=title', fresh.asOwner);
    expect([wrong.status, wrong.error]).toEqual([400, 'validation_error/invalid_request']);
  });
});
