import { beforeAll, describe, expect, it, vi } from 'vitest';
import { addProject, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { asMember } from '../support/http/requests.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
  const kinds = [
    {
      fingerprint: 'a',
      severity: 'critical',
      cwe: 'CWE-89',
      cvss_score: 9.8,
      title: 'SQL injection in 100% of pages',
    },
    { fingerprint: 'b', severity: 'high', cwe: 'CWE-79', cvss_score: 7.1, file: 'src/search_form.ts' },
    { fingerprint: 'c', severity: 'medium', cve: 'CVE-2026-1234', title: 'Old lodash' },
    { fingerprint: 'd', severity: 'low', title: 'Old Lodash, elsewhere' },
    { fingerprint: 'e', severity: 'info', cvss_score: 0 },
  ];
  for (const kind of kinds) await push(t.api, org, scanId, kind);
  must(await t.api.patch(`/findings/${await idOf('d')}`, { ...org.asOwner, body: { status: 'fixed' } }));
});

async function idOf(fingerprint: string): Promise<string> {
  const all: { id: string; fingerprint: string }[] = must(await t.api.get('/findings', org.asOwner));
  return all.find((finding) => finding.fingerprint === fingerprint)?.id ?? '';
}

const list = (query: string) => t.api.get(`/findings?${query}`, org.asOwner);
const prints = async (query: string) =>
  must(await list(query))
    .map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    .join('');

/** An organization with so many findings. */
async function orgWith(count: number): Promise<TestOrg> {
  const many = await createOrg(t.api);
  const scan = await createScan(t.api, many);
  await Promise.all(Array.from({ length: count }, () => push(t.api, many, scan)));
  return many;
}

/** Asks for the whole list, whose body is not read yet. */
const stream = async (of: TestOrg, { app } = t, method = 'GET') =>
  app.request('http://localhost/api/v1/findings', { method, headers: asMember(of) });

describe('GET /findings', () => {
  it.each([
    ['', 'edcba'],
    ['severity=high', 'b'],
    ['severity=high,low', 'db'],
    ['severity=high&severity=low', 'db'],
    ['status=open', 'ecba'],
    ['status=fixed', 'd'],
    ['status=open&severity=critical', 'a'],
    ['cwe=CWE-79', 'b'],
    ['q=lodash', 'dc'],
    ['q=old+elsewhere', 'd'],
    ['q=search_', 'b'],
    ['q=100%25', 'a'],
    ['q=cve-2026', 'c'],
    ['q=nothing', ''],
    ['q=', 'edcba'],
    ['sort=created_at', 'abcde'],
    ['sort=-created_at', 'edcba'],
    ['sort=-severity', 'abcde'],
    ['sort=severity', 'edcba'],
    ['sort=-cvss_score', 'abedc'],
    ['sort=last_seen_at', 'abcde'],
    ['page=1&per_page=2', 'ed'],
    ['page=3&per_page=2', 'a'],
    ['page=9&per_page=2', ''],
    ['per_page=2&sort=created_at', 'ab'],
    ['__proto__=a&__proto__=b&constructor=1&severity=high', 'b'],
  ])('?%s gives %s', async (query, expected) => {
    expect(await prints(query)).toBe(expected);
  });

  it('narrows to a scan or a project', async () => {
    const other = await createScan(t.api, org);
    expect(await prints(`scan_id=${other}`)).toBe('');
    expect(await prints(`scan_id=${scanId}&severity=info`)).toBe('e');
    expect(await prints(`project_id=${org.projectId.toUpperCase()}`)).toBe('edcba');
    expect(await prints('project_id=00000000-0000-7000-8000-000000000000')).toBe('');
  });

  it('tells of the pages only when pages are asked for', async () => {
    expect((await list('')).json).not.toHaveProperty('result_info');
    expect((await list('page=2&per_page=2')).json.result_info).toEqual({
      page: 2,
      per_page: 2,
      total: 5,
      total_pages: 3,
      has_next: true,
      has_prev: true,
    });
    expect((await list('page=1')).json.result_info).toMatchObject({ per_page: 50, total: 5, total_pages: 1 });
    expect((await list('page=1&severity=low&status=open')).json.result_info).toMatchObject({
      total: 0,
      total_pages: 0,
    });
  });

  it.each([
    ['severity=urgent', 'severity'],
    ['severity=', 'severity'],
    ['status=closed', 'status'],
    ['cwe=79', 'cwe'],
    ['project_id=mine', 'project_id'],
    ['sort=title', 'sort'],
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['page=1&page=2', 'page'],
    ['per_page=501', 'per_page'],
    ['per_page=0', 'per_page'],
    ['q=%00', 'q'],
    ['scan_id=%00', 'scan_id'],
  ])('?%s is invalid', async (query, field) => {
    const answer = await list(query);
    expect(answer.refusal).toBe(`400 validation_error/invalid_request ${field}`);
  });

  it('shows the same as GET /findings/{id}', async () => {
    for (const finding of must(await list(''))) {
      expect(must(await t.api.get(`/findings/${finding.id}`, org.asOwner))).toEqual(finding);
    }
  });

  it('streams any number of rows, newest first', async () => {
    const many = await createOrg(t.api);
    const scan = await createScan(t.api, many);
    await Promise.all(
      Array.from({ length: 1_203 }, () => push(t.api, many, scan, { description: 'é'.repeat(300) })),
    );
    const answer = await t.api.get('/findings', many.asOwner);
    expect(answer.result).toHaveLength(1_203);
    const order = answer.result.map(
      ({ created_at, id }: { created_at: string; id: string }) => created_at + id,
    );
    expect(order).toEqual(order.toSorted().reverse());
    await vi.waitFor(() => expect(t.services.database.pool().inUse).toBe(0));
  });

  it('keeps no connection for a HEAD, whose body nobody reads', async () => {
    const many = await orgWith(300);
    for (let i = 0; i < 12; i++) {
      expect((await stream(many, t, 'HEAD')).status).toBe(200);
    }
    await vi.waitFor(() => expect(t.services.database.pool().inUse).toBe(0));
  });

  it('leaves connections for others while its readers stand still', async () => {
    const many = await orgWith(500);
    const standing = await Promise.all(Array.from({ length: 2 }, () => stream(many)));
    const others = Array.from({ length: 7 }, async () => (await stream(many)).text());
    expect((await t.api.get('/projects', many.asOwner)).status).toBe(200);
    expect((await t.api.get('//healthz')).status).toBe(200);
    for (const response of standing) await response.body?.cancel();
    for (const text of await Promise.all(others)) expect(JSON.parse(text).result).toHaveLength(500);
    await vi.waitFor(() => expect(t.services.database.pool().inUse).toBe(0));
  });

  it('is read at the pace of its reader, beyond the time a statement may take', async () => {
    const many = await orgWith(500);
    const { pathname } = new URL(t.databaseUrl);
    // Long enough for every statement of a machine that is as busy as this one.
    const statementMs = limit(300);
    await t.services.database.sql.unsafe(
      `alter database "${pathname.slice(1)}" set statement_timeout = '${statementMs}ms'`,
    );
    const url = new URL(t.databaseUrl);
    url.searchParams.set('statement_timeout', `${statementMs}`);
    const hasty = await startApp({ databaseUrl: url.href });
    const response = await stream(many, hasty);
    const reader = response.body?.getReader();
    let text = '';
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      text += decoder.decode(value, { stream: true });
      await new Promise((later) => setTimeout(later, statementMs + 50));
    }
    expect(JSON.parse(text).result).toHaveLength(500);
    await t.services.database.sql.unsafe(`alter database "${pathname.slice(1)}" reset statement_timeout`);
  });

  it('frees its connection when the reader goes away', async () => {
    const many = await orgWith(1_200);
    for (let i = 0; i < 30; i++) {
      const response = await stream(many);
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    // More readers than the pool has connections: one that leaked would be missed now.
    expect((await t.api.get('/findings?page=1', many.asOwner)).status).toBe(200);
    await vi.waitFor(() => expect(t.services.database.pool().inUse).toBe(0));
  });
});

describe('triage', () => {
  it.each(['open', 'confirmed', 'fixed', 'false_positive', 'wontfix'])(
    'a user sets %s from any status',
    async (status) => {
      for (const from of ['open', 'confirmed', 'fixed', 'false_positive', 'wontfix']) {
        const { id } = await push(t.api, org, scanId);
        must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: from } }));
        t.advance(10);
        const changed = await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } });
        expect([changed.status, changed.result.status]).toEqual([200, status]);
        expect(must(await t.api.get(`/findings/${id}`, org.asOwner))).toEqual(changed.result);
      }
    },
  );

  it('says when the status changed, not when it was set again', async () => {
    const { id, status_changed_at } = await push(t.api, org, scanId);
    t.advance(1_000);
    const same = must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'open' } }));
    expect(same.status_changed_at).toBe(status_changed_at);
    t.advance(1_000);
    const other = must(
      await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'confirmed' } }),
    );
    expect(other.status_changed_at > status_changed_at).toBe(true);
    expect(other.updated_at).toBe(other.status_changed_at);
  });

  it.each(['verified', 'closed', 'OPEN', '', null, 1, undefined])(
    'refuses %j from a user',
    async (status) => {
      const { id } = await push(t.api, org, scanId);
      const answer = await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } });
      const missing = status === undefined;
      expect([answer.status, answer.error]).toEqual([
        400,
        `validation_error/field_${missing ? 'required' : 'invalid'}`,
      ]);
      expect(must(await t.api.get(`/findings/${id}`, org.asOwner)).status).toBe('open');
    },
  );

  it.each(['open', 'verified'])('an agent sets %s', async (status) => {
    const { id } = await push(t.api, org, scanId);
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    const answer = await t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status } });
    expect([answer.status, answer.result.status]).toEqual([200, status]);
  });

  it.each(['fixed', 'confirmed', 'false_positive', 'wontfix'])('refuses %s from an agent', async (status) => {
    const { id } = await push(t.api, org, scanId);
    const answer = await t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status } });
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/field_invalid']);
  });
});

describe('exploits', () => {
  const exploit = { filename: 'poc.py', language: 'python', code: "print('ü')\n" };

  it('are attached by the agent and read by members', async () => {
    const { id } = await push(t.api, org, scanId);
    expect(must(await t.api.get(`/findings/${id}/exploits`, org.asOwner))).toEqual([]);
    const attached = await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body: exploit });
    expect(attached.status).toBe(201);
    expect(attached.result).toEqual({
      ...exploit,
      id: expect.any(String),
      finding_id: id,
      created_at: expect.any(String),
    });
    const second = must(
      await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body: exploit }),
    );
    expect(must(await t.api.get(`/findings/${id}/exploits`, org.asOwner))).toEqual([second, attached.result]);
    const one = await t.api.get(`/findings/${id}/exploits/${attached.result.id}`, org.asOwner);
    expect(one.result).toEqual(attached.result);
  });

  it('belong to their finding', async () => {
    const [a, b] = [await push(t.api, org, scanId), await push(t.api, org, scanId)];
    const { id } = must(
      await t.api.post(`/agent/findings/${a.id}/exploits`, { ...org.asAgent, body: exploit }),
    );
    for (const path of [`${b.id}/exploits/${id}`, `${a.id}/exploits/${a.id}`, `${a.id}/exploits/none`]) {
      expect((await t.api.get(`/findings/${path}`, org.asOwner)).error).toBe('resource_error/not_found');
    }
  });

  it.each([
    [{ ...exploit, filename: undefined }, 'field_required', ['filename']],
    [{ ...exploit, filename: 'x'.repeat(256) }, 'field_invalid', ['filename']],
    [{ ...exploit, language: 'x'.repeat(51) }, 'field_invalid', ['language']],
    [{ ...exploit, code: '' }, 'field_invalid', ['code']],
    [{ ...exploit, code: 'ü'.repeat(256_001) }, 'field_invalid', ['code']],
    [{ ...exploit, code: 'a\0b' }, 'field_invalid', ['code']],
    [{}, 'field_required', ['filename', 'language', 'code']],
  ])('are refused when invalid (%#)', async (body, code, fields) => {
    const { id } = await push(t.api, org, scanId);
    const answer = await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body });
    expect(answer.refusal).toBe(`400 validation_error/${code} ${fields.join(' ')}`);
    expect(must(await t.api.get(`/findings/${id}/exploits`, org.asOwner))).toEqual([]);
  });

  it('take 512,000 bytes of code', async () => {
    const { id } = await push(t.api, org, scanId);
    const body = { ...exploit, code: 'ü'.repeat(256_000) };
    expect((await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body })).status).toBe(201);
  });

  it('are out of reach for the token of another project', async () => {
    const { id } = await push(t.api, org, scanId);
    const { asAgent: agent } = await addProject(t.api, org);
    for (const answer of [
      await t.api.post(`/agent/findings/${id}/exploits`, { ...agent, body: exploit }),
      await t.api.patch(`/agent/findings/${id}`, { ...agent, body: { status: 'verified' } }),
    ]) {
      expect([answer.status, answer.error]).toEqual([403, 'token_error/scope_mismatch']);
    }
  });
});

describe('GET /agent/findings', () => {
  const pull = (query: string) => t.api.get(`/agent/findings?${query}`, org.asAgent);

  it("gives the project's findings by status and severity", async () => {
    const { id } = await push(t.api, org, scanId, { severity: 'critical' });
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    const answer = await pull(`project_id=${org.projectId}&status=fixed&severity=critical`);
    expect(answer.status).toBe(200);
    expect(answer.result[0]).toEqual(must(await t.api.get(`/findings/${id}`, org.asOwner)));
    expect((await pull(`project_id=${org.projectId}&page=1&per_page=1`)).json.result_info.per_page).toBe(1);
  });

  it.each([
    ['', 400, 'validation_error/invalid_request'],
    ['project_id=x', 400, 'validation_error/invalid_request'],
    ['project_id=00000000-0000-7000-8000-000000000000', 403, 'token_error/scope_mismatch'],
  ])('?%s answers %i %s', async (query, status, error) => {
    const answer = await pull(query);
    expect([answer.status, answer.error]).toEqual([status, error]);
  });
});
