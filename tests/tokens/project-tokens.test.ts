import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endpoints as table } from '../../handlers/index.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import {
  type Answer,
  addMember,
  addProject,
  createOrg,
  createScan,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Tokens of a project with the scopes `read` and `triage`. The model of tests/orgs/isolation.test.ts mixes their calls up. */

let t: TestApp;
let api: TestApp['api'];
/** The project of the token, and another one of the same organization. */
let own: TestOrg;
let other: TestOrg;
let scans: Record<'own' | 'other', string>;
let findings: Record<'own' | 'other', string>;
let read: { token: string; org: string };
let triage: { token: string; org: string };

const outcome = ({ status, error }: Answer) => [status, error];
const SCOPE = [403, 'token_error/scope_mismatch'];
const NOT_FOUND = [404, 'resource_error/not_found'];

const create = (body: object, who: object = own.asOwner) =>
  api.post(`/projects/${own.projectId}/tokens`, { ...who, body: { name: 'script', ...body } });
const tokenWith = async (...scopes: string[]) => ({
  token: must(await create({ scopes })).token as string,
  org: own.slug,
});

beforeAll(async () => {
  t = await startApp();
  ({ api } = t);
});

beforeEach(async () => {
  own = await createOrg(api);
  other = await addProject(api, own);
  scans = { own: await createScan(api, own), other: await createScan(api, other) };
  // The same problem in both projects.
  const fields = { fingerprint: 'fp', cve: 'CVE-2026-10001', file: 'a.ts', source: 'x' };
  findings = {
    own: (await push(api, own, scans.own, fields)).id,
    other: (await push(api, other, scans.other, { ...fields, title: 'hidden' })).id,
  };
  [read, triage] = [await tokenWith('read'), await tokenWith('triage')];
});

describe('lists are limited to the project', () => {
  // Every way to name the other project is a list without rows, too.
  const lists = () =>
    ['', `project_id=${other.projectId}`, `project_id=${own.projectId},${other.projectId}`].flatMap((which) =>
      [
        '',
        'page=1',
        'q=cve-2026',
        'group_by=project&page=1',
        'group_by=cve&page=1',
        'sort=-severity&page=1',
      ].map((how) => [which, how].filter(Boolean).join('&')),
    );

  it('findings, however they are listed, searched, grouped and exported', async () => {
    for (const query of lists()) {
      const answer = await api.get(`/findings?${query}`, read);
      const isOther = query.startsWith(`project_id=${other.projectId}`);
      expect([query, answer.status, answer.text.includes('hidden')]).toEqual([query, 200, false]);
      expect([query, answer.text.includes(other.projectId)]).toEqual([query, false]);
      expect([query, answer.result.length]).toEqual([query, isOther ? 0 : 1]);
      const total = answer.json.result_info?.total;
      expect([query, total ?? 'all']).toEqual([query, total === undefined ? 'all' : isOther ? 0 : 1]);
    }
    for (const path of ['export.csv', 'export.sarif']) {
      const { status, text } = await api.get(`/findings/${path}`, read);
      expect([status, text.includes('hidden'), text.includes(findings.own)]).toEqual([200, false, true]);
    }
    const ofScan = await api.get(`/findings?scan_id=${scans.other}`, read);
    expect(ofScan.result).toEqual([]);
    const change = `scan_id=${scans.other}&against=${scans.own}&change=new`;
    expect(must(await api.get(`/findings?${change}`, read))).toEqual([]);
  });

  it('findings of deleted scans', async () => {
    const inOrg = `org_${own.id.replaceAll('-', '')}`;
    await t.services.database.sql.unsafe(`update "${inOrg}".scans set status = 'completed'`);
    for (const id of [scans.own, scans.other])
      expect((await api.delete(`/scans/${id}`, own.asOwner)).status).toBe(204);
    const ofScan = async (id: string) => must(await api.get(`/findings?scan_id=${id}`, read));
    expect(await ofScan(scans.own)).toMatchObject([{ id: findings.own }]);
    expect(await ofScan(scans.other)).toEqual([]);
  });

  it('scans, projects, dashboards and similar findings', async () => {
    for (const query of ['', '?page=1', `?project_id=${own.projectId}`]) {
      const found: { id: string }[] = must(await api.get(`/scans${query}`, read));
      expect(found.map(({ id }) => id)).toEqual([scans.own]);
    }
    expect(must(await api.get(`/scans?project_id=${other.projectId}&page=1`, read))).toEqual([]);
    expect(must(await api.get('/projects', read))).toMatchObject([{ id: own.projectId }]);
    expect(must(await api.get('/dashboard/stats', read))).toMatchObject({
      ...{ total_scans: 1, active_scans: 1, total_findings: 1, severity_breakdown: { total: 1 } },
      recent_findings: [{ id: findings.own }],
    });
    expect(must(await api.get('/dashboard/projects', read))).toMatchObject([
      { project: { id: own.projectId }, total: 1 },
    ]);
    const days: { total: number }[] = must(await api.get('/dashboard/trend', read));
    expect(days.reduce((sum, { total }) => sum + total, 0)).toBe(1);
    const { weeks } = must(await api.get('/dashboard/metrics', read));
    expect(weeks.reduce((sum: number, { found }: { found: number }) => sum + (found ?? 0), 0)).toBe(1);
    for (const path of ['trend', 'metrics'])
      expect(outcome(await api.get(`/dashboard/${path}?project_id=${other.projectId}`, read))).toEqual(
        NOT_FOUND,
      );
    expect(must(await api.get(`/findings/${findings.own}/similar`, read))).toEqual([]);
    // Without the limit they are similar.
    expect(must(await api.get(`/findings/${findings.own}/similar`, own.asOwner))).toHaveLength(1);
  });
});

describe('another project does not show', () => {
  const inOrg = (text: string) =>
    t.services.database.sql.unsafe(text.replaceAll('$org', `org_${own.id.replaceAll('-', '')}`));

  it('by the sources of its scans', async () => {
    // Another scanner than that of the own scan: after the scan of the other project, its findings would count as gone.
    await inOrg(`update $org.scans set sources = '{x}' where scan_id = '${scans.own}'`);
    const gone = `scan_id=${scans.other}&against=${scans.own}&change=gone`;
    const found = [];
    for (const sources of ['x', 'y', 'x,y']) {
      await inOrg(`update $org.scans set sources = '{${sources}}' where scan_id = '${scans.other}'`);
      found.push(must(await api.get(`/findings?${gone}`, read)));
      found.push(must(await api.get(`/findings?${gone}&page=1`, read)));
    }
    expect(found.flat()).toEqual([]);
    await inOrg(`update $org.scans set sources = '{x}' where scan_id = '${scans.other}'`);
    expect(must(await api.get(`/findings?${gone}`, own.asOwner))).toHaveLength(1);
  });

  it('by a transfer', async () => {
    await inOrg(`update $org.projects set transfer = 'out' where id = '${other.projectId}'`);
    const body = { filter: {}, expected_count: 1, status: 'confirmed' };
    expect((await api.patch('/findings', { ...own.asOwner, body })).status).toBe(409);
    const { change_ids } = must(await api.patch('/findings', { ...triage, body }));
    must(await api.post(`/changes/${change_ids[0]}/undo`, triage));
    await inOrg(`update $org.projects set transfer = 'out' where id = '${own.projectId}'`);
    expect((await api.patch('/findings', { ...triage, body })).status).toBe(409);
  });

  it('by findings that are similar: they do not crowd out those of the project', async () => {
    const cve = 'CVE-2026-10002';
    const first = await push(api, own, scans.own, { cve });
    const many = Array.from({ length: 120 }, () => finding(other, scans.other, { cve }));
    must(await api.post('/agent/findings/batch', { ...other.asAgent, body: { findings: many } }));
    const last = await push(api, own, scans.own, { cve });
    for (const [id, similar] of [
      [first.id, last.id],
      [last.id, first.id],
    ])
      expect(must(await api.get(`/findings/${id}/similar`, read))).toMatchObject([
        { id: similar, why: 'cve' },
      ]);
  });
});

/** Each endpoint that admits a token of a project for what its path names. */
const named = (Object.values(table) as Endpoint[]).filter(
  ({ access }) =>
    access.kind === 'cookieOrg' &&
    access.tokens === 'any' &&
    access.role !== 'admin' &&
    ['finding', 'scan', 'project'].includes(access.project),
);

it.each(named.map((one): [string, Endpoint] => [`${one.method} ${one.path}`, one]))(
  '%s hides what is of another project',
  async (_, { method, path, access }) => {
    const rule = access.kind === 'cookieOrg' ? access.project : undefined;
    const ids = (which: 'own' | 'other') =>
      ({
        finding: [findings[which]],
        scan: [scans[which]],
        project: [(which === 'own' ? own : other).projectId],
      })[rule as 'finding' | 'scan' | 'project'];
    const call = (which: 'own' | 'other') => {
      const values = ids(which);
      const filled = path.replace(/\{\w+\}/g, () => values.shift() ?? crypto.randomUUID());
      const content = { body: 'A comment.', status: 'confirmed', integration_id: crypto.randomUUID() };
      const body = method === 'GET' ? {} : { body: content };
      return api.call(method, `/${filled}`, { ...triage, ...body });
    };
    expect(outcome(await call('other'))).toEqual(NOT_FOUND);
    // A second id of the path is made up.
    const last = await call('own');
    if (!/\{\w+\}.*\{\w+\}/.test(path)) expect(last.status).not.toBe(404);
    expect(last.status).not.toBe(403);
  },
);

/** Endpoints of the organization, not of a project, and those of admins. */
const REFUSED = (Object.values(table) as Endpoint[]).filter(
  ({ access }) =>
    access.kind === 'cookieOrg' &&
    access.tokens === 'any' &&
    (access.role === 'admin' || access.project === 'none' || access.project === 'any member'),
);

it('endpoints of the organization refuse the token', async () => {
  expect(REFUSED.length).toBeGreaterThan(10);
  for (const { method, path } of REFUSED) {
    const filled = path.replace(/\{\w+\}/g, () => own.projectId);
    const body = method === 'GET' ? {} : { body: '{' };
    expect([path, ...outcome(await api.call(method, `/${filled}`, { ...triage, ...body }))]).toEqual([
      path,
      ...SCOPE,
    ]);
  }
});

it('a bulk change leaves findings of other projects alone', async () => {
  const both = [findings.own, findings.other];
  const byIds = must(await api.patch('/findings', { ...triage, body: { ids: both, status: 'confirmed' } }));
  expect(byIds).toMatchObject({ updated: [{ id: findings.own }], failed: [{ id: findings.other }] });
  for (const filter of [{}, { project_id: [other.projectId] }, { severity: ['high'] }]) {
    const count = 'project_id' in filter ? 0 : 1;
    const body = { filter, expected_count: count, status: 'wontfix', reason: 'other' };
    const { updated } = must(await api.patch('/findings', { ...triage, body }));
    expect(updated).toHaveLength(count);
  }
  expect(must(await api.get(`/findings/${findings.other}`, own.asOwner)).status).toBe('open');
});

it('the token undoes its own changes, and sees no others', async () => {
  const { change_id } = must(
    await api.patch('/findings', { ...triage, body: { ids: [findings.own], status: 'confirmed' } }),
  );
  const ofOwner = must(
    await api.patch('/findings', { ...own.asOwner, body: { ids: [findings.other], status: 'confirmed' } }),
  ).change_id;
  expect(must(await api.get('/changes?page=1', triage))).toMatchObject([{ id: change_id }]);
  expect((await api.post(`/changes/${ofOwner}/undo`, triage)).status).toBe(404);
  must(await api.post(`/changes/${change_id}/undo`, triage));
});

describe('the scopes of a token of a project', () => {
  it('are those of its creator at most, and never admin', async () => {
    const [viewer, member] = [await addMember(api, own, 'viewer'), await addMember(api, own, 'member')];
    const statusOf = async (scope: string, who: object) => (await create({ scopes: [scope] }, who)).status;
    expect(
      await Promise.all(['ingest', 'read', 'triage', 'admin'].map((one) => statusOf(one, viewer.as))),
    ).toEqual([201, 201, 403, 400]);
    expect(await statusOf('triage', member.as)).toBe(201);
    expect(must(await create({})).info.scopes).toEqual(['ingest']);
  });

  it('count one by one: reading is no triage, and neither sends findings', async () => {
    const body = { status: 'confirmed' };
    expect(outcome(await api.patch(`/findings/${findings.own}`, { ...read, body }))).toEqual(SCOPE);
    must(await api.patch(`/findings/${findings.own}`, { ...triage, body }));
    for (const as of [read, triage])
      expect(outcome(await api.get(`/agent/findings?project_id=${own.projectId}`, as))).toEqual(SCOPE);
    const all = await tokenWith('ingest', 'triage');
    must(await api.get(`/agent/findings?project_id=${own.projectId}`, all));
    expect(outcome(await api.get(`/agent/findings?project_id=${other.projectId}`, all))).toEqual(SCOPE);
  });

  it('above ingest need a step-up and are told to the owners', async () => {
    const { sql } = t.services.database;
    await sql.unsafe('update shared.user_emails set verified_at = now() where user_id = $1', [own.owner.id]);
    must(await create({ scopes: ['triage'] }));
    await t.services.mail.deliverDue();
    const subjects = t.mails
      .filter(({ recipient }) => recipient === own.owner.email)
      .map((one) => one.subject);
    expect(subjects).toContainEqual(expect.stringContaining('An API token was created'));
    await sql.unsafe(
      `update shared.sessions set created_at = now() - interval '1 hour', stepped_up_at = null where user_id = $1`,
      [own.owner.id],
    );
    expect(outcome(await create({ scopes: ['read'] }))).toEqual([403, 'permission_error/step_up_required']);
    expect((await create({})).status).toBe(201);
  });
});
