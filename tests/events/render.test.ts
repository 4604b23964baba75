import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eraseNames } from '../../db/audit/erase.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { SEVERITIES } from '../../db/schema/values.ts';
import { openExpiredRisks } from '../../lib/findings/triage/expired-risks.ts';
import type { Org } from '../../lib/orgs/directory.ts';
import { createRule } from '../rules/kit.ts';
import {
  addMember,
  addProject,
  addToken,
  createOrg,
  createScan,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { eventsOf } from './kit.ts';

/* An event is rendered when it is sent, from what is stored then. */

const HOUR_MS = 3_600_000;

let t: TestApp;
let org: TestOrg;
let scanId: string;
let events: ReturnType<typeof eventsOf>;

beforeAll(async () => {
  t = await startApp({ env: { SVC_PUBLIC_URL: 'https://findings.example.com' } });
});

beforeEach(async () => {
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
  events = eventsOf(t, org);
  await events.forget();
});

const base = () => `https://findings.example.com/o/${org.slug}`;
const patch = async (id: string, body: object) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body }));
const make = async (fields: object = {}, of = org, scan = scanId): Promise<string> =>
  (await push(t.api, of, scan, { ...fields })).id;
const end = async (status = 'completed', scan = scanId, fields = {}) =>
  must(await t.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body: { status, ...fields } }));
const comment = async (id: string, body: string): Promise<string> =>
  must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body } })).id;
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
const dataOf = async (...audience: Parameters<typeof events.rendered>): Promise<any[]> =>
  (await events.rendered(...audience)).map(({ data }) => data);
const typesOf = async (...audience: Parameters<typeof events.rendered>) =>
  (await events.rendered(...audience)).map(({ type }) => type);

/** Deletes an account, and its names in the audit log, as a task does afterwards. */
async function erase({ id, cookie, email }: TestUser): Promise<void> {
  await events.run('delete from shared.memberships where user_id = $1 and org_id <> $2', [id, org.id]);
  must(await t.api.delete('/auth/me', { cookie, body: { confirm: email } }));
  const { tables } = (await t.services.orgs.named(org.slug)) as Org;
  await eraseNames(tables).run(t.services.database.sql, { userIds: `{${id}}` });
}

describe('an event of findings', () => {
  it('tells who changed the status, from what, to what and why', async () => {
    const id = await make({ file: 'src/search.ts', line: 7, source: 'semgrep', severity: 'critical' });
    await patch(id, { status: 'false_positive', reason: 'used_in_tests', note: 'Only "tests".\n</script>' });
    const [stored] = await events.stored();
    expect(await events.rendered()).toEqual([
      {
        id: stored?.id,
        type: 'finding.status_changed',
        timestamp: stored?.at,
        organization: { id: org.id, slug: org.slug, name: org.slug },
        data: {
          actor: { type: 'user', id: org.owner.id, name: 'Ada Lovelace' },
          change_id: stored?.subject,
          findings: [
            {
              ...{ id, title: 'SQL injection in search', severity: 'critical', project_id: org.projectId },
              ...{ source: 'semgrep', file: 'src/search.ts', line: 7, url: `${base()}/findings/${id}` },
              status: { from: 'open', to: 'false_positive' },
              ...{ reason: 'used_in_tests', note: 'Only "tests".\n</script>' },
            },
          ],
          total: 1,
        },
      },
    ]);
    expect(new Date(stored?.at ?? '').toISOString()).toBe(stored?.at);
  });

  it('tells the assignees before and after', async () => {
    const id = await make();
    const bob = await addMember(t.api, org);
    await events.forget();
    await patch(id, { assignee_id: org.owner.id });
    await patch(id, { assignee_id: bob.id });
    await patch(id, { assignee_id: null });
    const assignees = (await dataOf()).map(({ findings }) => findings[0].assignee);
    expect(assignees).toHaveLength(3);
    expect(assignees).toEqual(
      expect.arrayContaining([{ to: org.owner.id }, { from: org.owner.id, to: bob.id }, { from: bob.id }]),
    );
  });

  it('has the most severe findings first, as they are called now', async () => {
    const ids = [await make({ severity: 'low' }), await make({ severity: 'critical' }), await make()];
    must(await t.api.patch('/findings', { ...org.asOwner, body: { ids, status: 'confirmed' } }));
    await patch(ids[0] as string, { note: 'Not part of an event.' });
    const [data] = await dataOf();
    expect(data.total).toBe(3);
    expect(data.findings.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[2], ids[0]]);
  });

  it('lists the worst 100 findings, and counts all', async () => {
    const shop = await addProject(t.api, org, 'Shop');
    await make();
    await make({ severity: 'critical' }, shop, await createScan(t.api, shop));
    for (const [like, count] of Object.entries({ high: 130, critical: 20 }))
      await events.run(
        `insert into ORG.findings (id, scan_id, last_scan_id, project_id, fingerprint, title, severity, description, status,
           status_changed_at, regressed, seen_count, last_seen_at, created_at, updated_at)
         select gen_random_uuid(), scan_id, last_scan_id, project_id, severity || n, title, severity, description, status,
           status_changed_at, regressed, seen_count, last_seen_at, created_at, updated_at
         from ORG.findings f, generate_series(2, $2::int) n where severity = $1`,
        [like, String(count)],
      );
    const ids = (await events.run('select id from ORG.findings')).map(({ id }) => id);
    await events.forget();
    must(await t.api.patch('/findings', { ...org.asOwner, body: { ids, status: 'confirmed' } }));
    const heard = async (audience = {}) => {
      const [{ findings, total }] = await dataOf(audience);
      const critical = findings.filter(({ severity }: { severity: string }) => severity === 'critical');
      return { listed: findings.length, critical: critical.length, first: findings[0].severity, total };
    };
    expect(await heard()).toEqual({ listed: 100, critical: 20, first: 'critical', total: 150 });
    expect(await heard({ projects: [org.projectId] })).toEqual({
      ...{ listed: 100, critical: 0, first: 'high', total: 130 },
    });
    expect(await heard({ minSeverity: 'critical' })).toMatchObject({ listed: 20, total: 20 });
  });

  it('has the beginning of a note, but the whole comment', async () => {
    const id = await make();
    const long = 'ä'.repeat(1_000);
    await patch(id, { status: 'confirmed', note: `${long} and more` });
    await comment(id, `${long} and more`);
    const [changed, commented] = await dataOf();
    expect(changed.findings[0].note).toBe(long);
    expect(commented.comment.text).toBe(`${long} and more`);
  });

  it('has the text of a comment as it is now, and no comment that was removed', async () => {
    const id = await make();
    const said = await comment(id, `Look, @[Ada](${org.owner.id})`);
    const removed = await comment(id, 'Nothing.');
    must(await t.api.delete(`/findings/${id}/comments/${removed}`, org.asOwner));
    expect(await dataOf()).toMatchObject([
      {
        actor: { type: 'user', id: org.owner.id, name: 'Ada Lovelace' },
        finding: { id, url: `${base()}/findings/${id}` },
        comment: { id: said, text: `Look, @[Ada](${org.owner.id})`, mentions: [org.owner.id] },
      },
    ]);
    must(
      await t.api.patch(`/findings/${id}/comments/${said}`, {
        ...org.asOwner,
        body: { body: 'Never mind.' },
      }),
    );
    expect((await dataOf())[0].comment).toEqual({ id: said, text: 'Never mind.', mentions: [] });
  });

  it('names the rule that decided about new findings', async () => {
    const { id: ruleId } = await createRule(t.api, org, {
      name: 'Tests',
      conditions: { path: ['src/tests/**'] },
      actions: { status: 'false_positive', note: 'Code of tests.', assignee_id: org.owner.id },
    });
    await events.forget();
    await make({ file: 'src/tests/a.ts' });
    const bodies = await events.rendered();
    expect(bodies.map(({ type }) => type).toSorted()).toEqual(['finding.assigned', 'finding.status_changed']);
    for (const { type, data } of bodies) {
      expect(data).toMatchObject({ actor: { type: 'rule', id: ruleId, name: 'Tests' }, total: 1 });
      expect(data).not.toHaveProperty('change_id');
      if (type === 'finding.status_changed')
        expect(data.findings).toMatchObject([
          { status: { from: 'open', to: 'false_positive' }, note: 'Code of tests.' },
        ]);
    }
  });

  it('names a token', async () => {
    const id = await make();
    must(await t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'verified' } }));
    expect((await dataOf())[0].actor).toEqual({ type: 'token', id: org.tokenId, name: 'ci' });
  });

  it('tells that risks are no longer accepted, and that findings are overdue', async () => {
    const id = await make();
    const until = new Date(t.services.clock().getTime() + HOUR_MS).toISOString();
    await patch(id, { status: 'wontfix', reason: 'risk_accepted', accepted_until: until, due_at: until });
    await events.forget();
    t.advance(2 * HOUR_MS);
    await openExpiredRisks(t.services);
    await events.run(
      `insert into ORG.events (id, at, type, finding_ids) values (gen_random_uuid(), now() + interval '1 day', 'finding.overdue', $1::uuid[])`,
      [`{${id}}`],
    );
    const bodies = await events.rendered();
    const of = (type: string) => bodies.find((body) => body.type === type)?.data;
    expect(of('finding.risk_acceptance_ended')).toEqual({
      findings: [expect.objectContaining({ id, url: `${base()}/findings/${id}` })],
      total: 1,
    });
    expect(of('finding.status_changed')).toMatchObject({
      actor: { type: 'system' },
      findings: [{ status: { from: 'wontfix', to: 'open' } }],
    });
    expect(of('finding.overdue')).toMatchObject({ findings: [{ id, due_at: until }], total: 1 });
  });

  it('leaves out what the audience does not hear of, and what was deleted', async () => {
    const shop = await addProject(t.api, org, 'Shop');
    const shopScan = await createScan(t.api, shop);
    const ids = [await make({ severity: 'critical' }), await make({ severity: 'low' })];
    ids.push(await make({ severity: 'critical' }, shop, shopScan));
    await events.forget();
    must(await t.api.patch('/findings', { ...org.asOwner, body: { ids, status: 'confirmed' } }));
    const heard = async (audience: Parameters<typeof events.rendered>[0]) => {
      const [data] = await dataOf(audience);
      expect(data?.total).toBe(data?.findings.length);
      return data?.findings.map(({ id }: { id: string }) => ids.indexOf(id)).toSorted();
    };
    expect(await heard({})).toEqual([0, 1, 2]);
    expect(await heard({ projects: [org.projectId] })).toEqual([0, 1]);
    expect(await heard({ minSeverity: 'high' })).toEqual([0, 2]);
    expect(await heard({ projects: [shop.projectId], minSeverity: 'critical' })).toEqual([2]);
    expect(await heard({ projects: [] })).toBeUndefined();
    must(await t.api.delete(`/findings/${ids[0]}`, org.asOwner));
    await events.run('update ORG.projects set deleted_at = now() where id = $1', [shop.projectId]);
    expect(await heard({})).toEqual([1]);
    expect(await heard({ minSeverity: 'high' })).toBeUndefined();
  });

  it('has no name of an author whose account was deleted', async () => {
    const bob = await addMember(t.api, org, 'member', 'Bob Hidden');
    const id = await make();
    must(await t.api.patch(`/findings/${id}`, { ...bob.as, body: { status: 'confirmed' } }));
    await erase(bob);
    const bodies = await events.rendered();
    const changed = bodies.find(({ type }) => type === 'finding.status_changed');
    expect(changed?.data).toMatchObject({ actor: { type: 'user', id: bob.id } });
    expect(JSON.stringify(bodies)).not.toContain('Bob Hidden');
    expect(JSON.stringify(bodies)).not.toContain(bob.email);
  });
});

describe('an event of a scan', () => {
  it('has the scan, and what it found and did not know', async () => {
    const [again, known] = [await make({ fingerprint: 'again' }), await make({ fingerprint: 'known' })];
    await patch(again, { status: 'fixed' });
    await end();
    t.advance(1_000);
    const body = {
      ...{ scan_id: 'second', project_id: org.projectId, persona: 'senku', name: 'Nightly' },
      ...{ target: { ref: 'main' }, commit: 'abc1234' },
    };
    must(await t.api.post('/agent/scans', { ...org.asAgent, body }));
    for (const fingerprint of ['again', 'known']) await make({ fingerprint }, org, 'second');
    const low = await make({ severity: 'low' }, org, 'second');
    const high = await make({}, org, 'second');
    await events.forget();
    await end('completed', 'second');
    const [data] = await dataOf();
    expect(data).toMatchObject({
      scan: {
        ...{
          id: 'second',
          project_id: org.projectId,
          project: 'Web shop',
          name: 'Nightly',
          persona: 'senku',
        },
        ...{ status: 'completed', ref: 'main', commit: 'abc1234', url: `${base()}/scans/second` },
        summary: { total: 4, high: 3, low: 1 },
      },
      ...{ new: 2, regressed: 1 },
    });
    expect(Object.keys(data.scan)).not.toContain('error_message');
    expect(Object.keys(data.scan)).not.toContain('created_at');
    const reported = data.findings.map(({ id, regressed, status }: Record<string, unknown>) => [
      ...[id, regressed, status],
    ]);
    expect(reported).toEqual([
      [high, false, 'open'],
      [again, true, 'fixed'],
      [low, false, 'open'],
    ]);
    expect(JSON.stringify(data)).not.toContain(known);
  });

  it('is one for an audience of its project and severity only, unless the scan failed', async () => {
    await make({ severity: 'low' });
    await make({ severity: 'medium' });
    await end();
    const [data] = await dataOf({ minSeverity: 'medium' });
    expect(data).toMatchObject({ new: 1, regressed: 0, findings: [{ severity: 'medium' }] });
    expect(await dataOf({ minSeverity: 'high' })).toEqual([]);
    expect(await dataOf({ projects: [org.owner.id] })).toEqual([]);
    expect(await typesOf({ projects: [org.projectId], isAdmin: false })).toEqual(['scan.completed']);
    await events.forget();
    const failed = await createScan(t.api, org);
    await end('failed', failed, { error_message: 'No space left.' });
    expect(await dataOf({ minSeverity: 'critical' })).toMatchObject([
      { scan: { status: 'failed', error_message: 'No space left.' }, new: 0, regressed: 0, findings: [] },
    ]);
    expect(await dataOf({ projects: [] })).toEqual([]);
    must(await t.api.delete(`/scans/${failed}`, org.asOwner));
    expect(await events.rendered()).toEqual([]);
  });

  it('has no findings that a deleted scan with the same id has reported in another project', async () => {
    const shop = await addProject(t.api, org, 'Shop');
    const register = async (of: typeof org) => {
      const body = { scan_id: 'nightly', project_id: of.projectId, persona: 'senku' };
      must(await t.api.post('/agent/scans', { ...of.asAgent, body }));
    };
    await register(shop);
    const hidden = await make({ severity: 'critical', title: 'Hidden' }, shop, 'nightly');
    must(await t.api.patch('/agent/scans/nightly', { ...shop.asAgent, body: { status: 'completed' } }));
    must(await t.api.delete('/scans/nightly', org.asOwner));
    await register(org);
    const own = await make({ severity: 'low' }, org, 'nightly');
    await events.forget();
    await end('completed', 'nightly');
    const data = await dataOf();
    expect(data).toMatchObject([
      { scan: { summary: { total: 1, critical: 0, low: 1 } }, new: 1, findings: [{ id: own }] },
    ]);
    expect(JSON.stringify(data)).not.toContain(hidden);
    expect(await dataOf({ projects: [org.projectId], minSeverity: 'critical' })).toEqual([]);
  });

  it('has the worst 100 findings of a scan of very many', async () => {
    await make();
    await events.run(
      `insert into ORG.findings (id, scan_id, last_scan_id, project_id, fingerprint, title, severity, description, status,
         status_changed_at, regressed, seen_count, last_seen_at, created_at, updated_at)
       select (left(f.id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, scan_id, last_scan_id, project_id, 'many-' || n,
         'Finding ' || n, case when n > 10990 then 'critical' else 'low' end, description, status, status_changed_at, regressed,
         seen_count, last_seen_at, created_at, updated_at
       from ORG.findings f, generate_series(1, 11000) n`,
    );
    await end();
    const [data] = await dataOf();
    expect(data).toMatchObject({ new: 10_000, regressed: 0 });
    expect(data.findings).toHaveLength(100);
    const severities = data.findings.map(({ severity }: { severity: 'low' }) => SEVERITIES.indexOf(severity));
    expect(severities).toEqual([...severities].sort());
    expect(data.findings.slice(0, 10).map(({ title }: { title: string }) => title)).toEqual(
      Array.from({ length: 10 }, (_, i) => `Finding ${10_991 + i}`),
    );
    const [worst] = await dataOf({ minSeverity: 'critical' });
    expect(worst.findings).toHaveLength(10);
    expect(worst.new).toBeGreaterThanOrEqual(10);
  });
});

describe('an event of members, tokens and projects', () => {
  it('has the entry of the audit log without addresses', async () => {
    const bob = await addMember(t.api, org, 'viewer');
    const shop = await addProject(t.api, org, 'Shop');
    const bodies = await events.rendered();
    const [invited, created, token] = ['member.invited', 'project.created', 'token.created'].map((type) =>
      bodies.find((body) => body.type === type),
    );
    const actor = { type: 'user', id: org.owner.id, name: 'Ada Lovelace' };
    expect(invited?.data).toMatchObject({
      actor,
      target: { type: 'member', id: bob.id, name: bob.email },
      changes: { role: { to: 'viewer' } },
    });
    expect(created?.data).toMatchObject({
      actor,
      target: { type: 'project', id: shop.projectId, name: 'shop' },
    });
    expect(token?.data).toMatchObject({ actor, target: { type: 'token', id: shop.tokenId, name: 'ci' } });
    expect(Object.keys(invited?.data ?? {})).toEqual(['actor', 'target', 'changes']);
  });

  it('is for admins who hear of all projects; of a project for whoever hears of it', async () => {
    const bob = await addMember(t.api, org, 'viewer');
    const shop = await addProject(t.api, org, 'Shop');
    const body = { role: 'viewer' };
    must(await t.api.put(`/projects/${shop.projectId}/members/${bob.id}`, { ...org.asOwner, body }));
    const all = ['member.invited', 'project.created', 'project.member_set', 'token.created'];
    expect((await typesOf()).toSorted()).toEqual(all);
    expect(await typesOf({ isAdmin: false })).toEqual(['project.created']);
    expect(await typesOf({ projects: [shop.projectId] })).toEqual(['project.created']);
    expect(await typesOf({ projects: [org.projectId] })).toEqual([]);
    expect((await typesOf({ minSeverity: 'critical' })).toSorted()).toEqual(all);
  });

  it('of a project has for others only what they can read of it', async () => {
    const { asOwner, projectId } = org;
    const path = `/projects/${projectId}`;
    must(await t.api.patch(path, { ...asOwner, body: { name: 'Mall', close_after_scans: 3 } }));
    must(await t.api.put(`${path}/due-dates`, { ...asOwner, body: { critical: 7 } }));
    await events.run(
      `update ORG.audit_entries set actor_type = 'token' where action = 'project.due_dates_changed'`,
    );
    await events.run(
      `with entry as (
         insert into ORG.audit_entries select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'seq', e.seq + 100,
           'action', 'project.transfer_started', 'changes', '{"organization": {"to": "elsewhere"}}'::jsonb))).*
         from ORG.audit_entries e where action = 'project.changed' returning *
       ) insert into ORG.events (id, at, type, subject, actor_id) select id, at, action, id, actor_id::uuid from entry`,
    );
    const heard = async (audience = {}) =>
      Object.fromEntries((await events.rendered(audience)).map(({ type, data }) => [type, data]));
    const ofAdmin = await heard();
    expect(Object.keys(ofAdmin).toSorted()).toEqual([
      ...['project.changed', 'project.due_dates_changed', 'project.transfer_started'],
    ]);
    expect(ofAdmin['project.due_dates_changed']).toMatchObject({
      ...{ actor: { type: 'token', name: 'Ada Lovelace' }, changes: { critical: { to: 7 } } },
    });
    for (const projects of [undefined, [projectId]]) {
      const ofOthers = await heard({ isAdmin: false, projects });
      expect(Object.keys(ofOthers).toSorted()).toEqual(['project.changed', 'project.due_dates_changed']);
      expect(ofOthers['project.changed']).toEqual(ofAdmin['project.changed']);
      expect(ofOthers['project.due_dates_changed']).toMatchObject({
        ...{ actor: { type: 'token', id: org.owner.id }, changes: {} },
      });
      expect(ofOthers['project.due_dates_changed']).not.toHaveProperty('actor.name');
    }
    expect(await heard({ projects: [projectId] })).toEqual(ofAdmin);
  });

  it('has no name of an account that was deleted', async () => {
    const bob = await addMember(t.api, org, 'viewer', 'Bob Hidden');
    await erase(bob);
    const bodies = await events.rendered();
    expect(bodies.map(({ type }) => type)).toContain('member.invited');
    expect(JSON.stringify(bodies)).not.toMatch(new RegExp(`Bob Hidden|${bob.email}`));
  });
});

it('many events are read with as many statements as one', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => make()));
  const count = async () => {
    const { sql } = t.services.database;
    const { unsafe } = sql;
    let n = 0;
    sql.unsafe = ((...given: Parameters<typeof unsafe>) => {
      // Background tasks use other tables.
      if (given[0].includes(orgSchemaName(org.id))) n++;
      return unsafe(...given);
    }) as typeof unsafe;
    const bodies = await events.rendered();
    sql.unsafe = unsafe;
    return { n, events: bodies.length };
  };
  await patch(ids[0] as string, { status: 'confirmed' });
  const one = await count();
  for (const id of ids.slice(1)) await patch(id, { status: 'confirmed', assignee_id: org.owner.id });
  const many = await count();
  expect([one.events, many.events]).toEqual([1, 9]);
  expect(many.n).toBe(one.n);
});

it('links lead to the host of the organization if there is a base domain', async () => {
  const hosted = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_BASE_DOMAIN: 'findings.test' } });
  const id = await make();
  await patch(id, { status: 'confirmed' });
  const [body] = await eventsOf(hosted, org).rendered();
  expect(body?.data).toMatchObject({
    findings: [{ url: `https://${org.slug}.findings.test/findings/${id}` }],
  });
});

it('tokens are not needed', async () => {
  expect((await addToken(t.api, org)).token).toMatch(/^svc_/);
  expect(JSON.stringify(await events.rendered())).not.toContain('svc_');
});
