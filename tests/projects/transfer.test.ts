import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readRevision } from '../../db/findings/counts/revision.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { transferProjects } from '../../lib/projects/transfer/run.ts';
import { switchMfaOn } from '../support/api/account.ts';
import {
  addProject,
  addToken,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { expectNothingLeft, expectRightCounts } from '../support/database/counts.ts';
import { createTables } from '../support/database/own-tables.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* POST /projects/{slug}/transfer by requests: what moves, and who may. */

let t: TestApp;
let org: TestOrg;
/** Another organization of the owner. */
let labs: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  labs = await anotherOrgOf(org);
});

/** An organization of the same owner, without projects. */
async function anotherOrgOf({ owner, ...first }: TestOrg): Promise<TestOrg> {
  const slug = `${first.slug}-labs`;
  const { id } = must(await t.api.post('/orgs', { cookie: owner.cookie, body: { name: 'Labs', slug } }));
  return { ...first, owner, id, slug, asOwner: { cookie: owner.cookie, org: slug } };
}

const sql = (text: string, of: TestOrg = org) =>
  t.services.database.sql.unsafe(text.replaceAll('@', `"${orgSchemaName(of.id)}"`));
const tablesOf = (id: string) => defineOrgTables(orgSchemaName(id));
const get = (path: string, of: TestOrg = org) => t.api.get(path, of.asOwner);
const transfer = (body: object = {}, as: object = org.asOwner, project = 'web-shop') =>
  t.api.post(`/projects/${project}/transfer`, {
    ...as,
    body: { organization: labs.slug, confirm: 'web-shop', ...body },
  });

async function invite(email: string, to: TestOrg, role: string) {
  must(await t.api.post('/members/invite', { ...to.asOwner, body: { email, role } }));
}

/** All that the API shows of the project, with its findings by their ids. */
async function shownIn(of: TestOrg) {
  const findings = must(await get(`/findings?project_id=${org.projectId}`, of));
  const details = await Promise.all(
    findings.map(async ({ id }: { id: string }) => ({
      finding: must(await get(`/findings/${id}`, of)),
      activity: must(await get(`/findings/${id}/activity`, of)),
      exploits: must(await get(`/findings/${id}/exploits`, of)),
    })),
  );
  return {
    project: must(await get(`/projects/${org.projectId}`, of)),
    due: must(await get(`/projects/${org.projectId}/due-dates`, of)),
    scans: must(await get(`/scans?project_id=${org.projectId}`, of)),
    details,
  };
}

describe('a project', () => {
  it('moves with everything it has, and other projects stay', async () => {
    must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Other' } }));
    must(
      await t.api.patch('/projects/web-shop', {
        ...org.asOwner,
        body: { close_after_scans: 3, source_url: 'https://github.com/acme/web-shop' },
      }),
    );
    must(await t.api.put(`/projects/${org.projectId}/due-dates`, { ...org.asOwner, body: { critical: 3 } }));
    const [first, second] = [await createScan(t.api, org), await createScan(t.api, org)];
    const found = await Promise.all(
      ['critical', 'high', 'low'].map((severity, i) =>
        push(t.api, org, first, {
          ...{ severity, fingerprint: `fp-${i} "quoted" é`, cvss_score: 9.1, file: 'src/ä.ts', line: 3 },
          description: 'A\tb\n\\ "c" 😀',
        }),
      ),
    );
    must(await t.api.patch(`/agent/scans/${first}`, { ...org.asAgent, body: { status: 'completed' } }));
    const { fingerprint } = found[0];
    await push(t.api, org, second, { severity: 'high', fingerprint });
    must(await t.api.patch(`/agent/scans/${second}`, { ...org.asAgent, body: { status: 'completed' } }));
    const [{ id }, { id: accepted }] = found;
    must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'Why?' } }));
    const exploit = { filename: 'poc.py', language: 'python', code: 'print("é")\n' };
    must(await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body: exploit }));
    const until = { status: 'wontfix', accepted_until: '2099-01-01T00:00:00.000Z', reason: 'risk_accepted' };
    must(await t.api.patch(`/findings/${accepted}`, { ...org.asOwner, body: until }));
    await sql(
      `insert into @.project_members values ('${org.owner.id}', '${org.projectId}', 'viewer', now())`,
    );
    const before = await shownIn(org);
    expect(before.details.flatMap(({ exploits }) => exploits)).toHaveLength(1);

    const moved = must(await transfer());
    expect(moved).toMatchObject({
      ...{ project_id: org.projectId, slug: 'web-shop', state: 'done', findings: 3, copied: 3 },
      organization: { slug: labs.slug, name: 'Labs' },
    });
    expect(await shownIn(labs)).toEqual(before);
    for (const path of [
      `/projects/${org.projectId}`,
      '/projects/web-shop',
      `/findings/${id}`,
      `/scans/${first}`,
    ])
      expect((await get(path)).error, path).toBe('resource_error/not_found');
    expect(must(await get('/projects'))).toMatchObject([{ slug: 'other' }]);
    expect([must(await get('/findings')), must(await get('/scans'))]).toEqual([[], []]);
    for (const one of [org, labs]) {
      await expectRightCounts(t.services.database, t.api, one);
      await expectNothingLeft(t.services.database, one);
    }
    // Each organization has members of its own.
    for (const one of [org, labs]) expect(await sql('select * from @.project_members', one)).toHaveLength(0);
    const risks = await sql(`select org_id from shared.accepted_risks where finding_id = '${accepted}'`);
    expect([...risks]).toEqual([{ org_id: labs.id }]);
    // Its slug is free, and it can move back.
    must(
      await t.api.post(`/projects/web-shop/transfer`, {
        ...labs.asOwner,
        body: { organization: org.slug, confirm: 'web-shop' },
      }),
    );
    expect(await shownIn(org)).toEqual(before);
  });

  it('is triaged, reported again and closed in the other organization as before', async () => {
    const scan = await createScan(t.api, org);
    const { id, fingerprint } = await push(t.api, org, scan);
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    must(await transfer());
    const inLabs = { ...labs, asAgent: await addToken(t.api, labs) };
    const again = await push(t.api, inLabs, await createScan(t.api, inLabs), { fingerprint });
    expect(again).toMatchObject({ id, deduplicated: true, regressed: true, seen_count: 2 });
    must(await t.api.patch(`/findings/${id}`, { ...labs.asOwner, body: { status: 'confirmed' } }));
    await expectRightCounts(t.services.database, t.api, labs);
  });

  it('gets another slug on request; the former one leads to it', async () => {
    must(await t.api.post('/projects', { ...labs.asOwner, body: { name: 'Web shop' } }));
    const taken = await transfer();
    expect([taken.status, taken.error]).toEqual([409, 'resource_error/already_exists']);
    // Nothing is left of the refused transfer.
    expect((await get('/projects/web-shop/transfer')).status).toBe(404);
    await push(t.api, org, await createScan(t.api, org));
    expect(must(await transfer({ slug: 'old-shop' })).slug).toBe('old-shop');
    expect(must(await get('/projects/old-shop', labs)).id).toBe(org.projectId);
    expect(must(await get('/projects/web-shop', labs)).id).not.toBe(org.projectId);
    must(await t.api.delete('/projects/web-shop', { ...labs.asOwner, body: { confirm: 'web-shop' } }));
    expect(must(await get('/projects/web-shop', labs)).id).toBe(org.projectId);
  });

  it('leaves former slugs to the projects that have them', async () => {
    const rename = (of: TestOrg, from: string, to: string) =>
      t.api.patch(`/projects/${from}`, { ...of.asOwner, body: { slug: to } });
    const { id } = must(
      await t.api.post('/projects', { ...labs.asOwner, body: { name: 'Ours', slug: 'shop' } }),
    );
    must(await rename(labs, 'shop', 'our-shop'));
    must(await rename(org, 'web-shop', 'shop'));
    must(await rename(org, 'shop', 'web-shop'));
    must(await transfer());
    expect(must(await get('/projects/shop', labs)).id).toBe(id);
    must(await rename(labs, 'our-shop', 'their-shop'));
    expect((await get('/projects/shop', labs)).status).toBe(404);
  });

  it('keeps the names of tokens and rules in its activity, and its tokens are revoked', async () => {
    const rule = { name: 'Ours', conditions: { severity: ['low'] }, actions: { status: 'confirmed' } };
    must(await t.api.post('/rules', { ...org.asOwner, body: rule }));
    const scan = await createScan(t.api, org);
    const { id } = await push(t.api, org, scan, { severity: 'low' });
    const actors = async (of: TestOrg) =>
      must(await get(`/findings/${id}/activity`, of)).map(({ actor }: { actor: object }) => actor);
    const before = await actors(org);
    expect(before).toMatchObject([
      { type: 'rule', name: 'Ours' },
      { type: 'token', name: 'ci' },
    ]);
    must(await transfer());
    expect(await actors(labs)).toEqual(before);
    for (const as of [org.asAgent, { ...org.asAgent, org: labs.slug }])
      expect((await t.api.post('/agent/findings', { ...as, body: finding(org, scan) })).error).toBe(
        'token_error/invalid',
      );
    expect(must(await get(`/projects/${org.projectId}/tokens`, labs))).toMatchObject([
      { id: org.tokenId, name: 'ci', revoked: true },
    ]);
    expect(must(await get('/rules', labs)).rules).toEqual([]);
  });

  it('loses assignees who are not members of the other organization', async () => {
    const [stays, leaves] = [await createUser(t.api), await createUser(t.api)];
    for (const { email } of [stays, leaves]) await invite(email, org, 'member');
    await invite(stays.email, labs, 'viewer');
    const scan = await createScan(t.api, org);
    const [mine, theirs] = [await push(t.api, org, scan), await push(t.api, org, scan)];
    for (const [{ id }, user] of [
      [mine, stays],
      [theirs, leaves],
    ] as const)
      must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { assignee_id: user.id } }));
    must(await transfer());
    expect(must(await get(`/findings/${mine.id}`, labs)).assignee_id).toBe(stays.id);
    expect(must(await get(`/findings/${theirs.id}`, labs)).assignee_id).toBeUndefined();
    const [entry] = must(await get(`/findings/${theirs.id}/activity`, labs));
    expect(entry).toMatchObject({ kind: 'assignee', actor: { type: 'system' }, from: leaves.id });
  });

  it('takes scan ids that are taken by derived ones', async () => {
    const inLabs = await addProject(t.api, labs);
    await createScan(t.api, inLabs, 'build-42');
    await push(t.api, inLabs, 'build-42');
    await createScan(t.api, org, 'build-42');
    await createScan(t.api, org, 'build-43');
    const { id, fingerprint } = await push(t.api, org, 'build-42');
    await push(t.api, org, 'build-43', { fingerprint });
    must(await t.api.patch('/agent/scans/build-42', { ...org.asAgent, body: { status: 'completed' } }));
    must(await transfer());
    const { scan_id, last_scan_id } = must(await get(`/findings/${id}`, labs));
    expect([scan_id === 'build-42', last_scan_id]).toEqual([false, 'build-43']);
    expect(must(await get(`/scans/${scan_id}`, labs))).toMatchObject({
      ...{ project_id: org.projectId, status: 'completed', finding_count: 1 },
    });
    expect(must(await get('/scans/build-42', labs))).toMatchObject({
      project_id: inLabs.projectId,
      finding_count: 1,
    });
    expect(must(await get(`/findings?scan_id=${scan_id}`, labs))).toHaveLength(1);
    await expectNothingLeft(t.services.database, labs);
  });

  it('fails scans that run', async () => {
    const scan = await createScan(t.api, org);
    await push(t.api, org, scan);
    must(await transfer());
    const ended = must(await get(`/scans/${scan}`, labs));
    expect(ended).toMatchObject({ status: 'failed', summary: { total: 1 } });
    expect(ended.error_message).toContain('transferred');
    await expectRightCounts(t.services.database, t.api, labs);
  });

  it('changes the revision of both organizations', async () => {
    const revisions = () =>
      Promise.all([org, labs].map(({ id }) => readRevision(t.services.database.sql, tablesOf(id))));
    await push(t.api, org, await createScan(t.api, org));
    await createTables(t, labs.slug);
    const [source, target] = await revisions();
    must(await transfer());
    const after = await revisions();
    expect(after[0]).not.toBe(source);
    expect(after[1]).not.toBe(target);
  });
});

describe('a request', () => {
  it.each<[string, object, string]>([
    ['without `confirm`', { confirm: undefined }, 'validation_error/field_required'],
    ['with another slug', { confirm: 'other' }, 'validation_error/field_invalid'],
    ['without an organization', { organization: undefined }, 'validation_error/field_required'],
    ['with a slug that cannot be one', { slug: 'A B' }, 'validation_error/field_invalid'],
  ])('is refused %s', async (_, body, error) => {
    const answer = await transfer(body);
    expect([answer.status, answer.error]).toEqual([400, error]);
    expect((await get('/projects/web-shop')).status).toBe(200);
  });

  it('is refused for the same organization', async () => {
    const answer = await transfer({ organization: org.slug });
    expect([answer.status, answer.badFields]).toEqual([400, ['organization']]);
  });

  it('does not tell organizations of others from those that do not exist', async () => {
    const others = await createOrg(t.api);
    const known = await transfer({ organization: others.slug });
    const unknown = await transfer({ organization: 'there-is-none' });
    expect([known.status, known.error]).toEqual([404, 'resource_error/not_found']);
    expect(known.json.errors).toEqual(unknown.json.errors);
  });

  it.each(['admin', 'member', 'viewer'])('is refused for an %s of either organization', async (role) => {
    const user = await createUser(t.api);
    const as = { cookie: user.cookie, org: org.slug };
    await invite(user.email, org, role);
    await invite(user.email, labs, 'owner');
    expect((await transfer({}, as)).error).toBe('permission_error/denied');
    expect((await t.api.get('/projects/web-shop/transfer', as)).error).toBe('permission_error/denied');
    must(await t.api.patch(`/members/${user.id}`, { ...org.asOwner, body: { role: 'owner' } }));
    must(await t.api.patch(`/members/${user.id}`, { ...labs.asOwner, body: { role } }));
    expect((await transfer({}, as)).error).toBe('permission_error/denied');
    must(await t.api.patch(`/members/${user.id}`, { ...labs.asOwner, body: { role: 'owner' } }));
    expect((await transfer({}, as)).status).toBe(200);
  });

  it('needs MFA if the other organization requires it', async () => {
    const body = { enabled: true };
    const answer = await t.api.patch('/org-features/require_mfa', { ...labs.asOwner, body });
    // Only a member with MFA may switch it on.
    if (answer.status !== 200)
      await sql(
        `insert into @.feature_flags values ('require_mfa', true, true, '') on conflict (name) do update set enabled = true`,
        labs,
      );
    expect((await transfer()).error).toBe('permission_error/mfa_required_by_org');
    await switchMfaOn(t, org.owner.cookie);
    expect((await transfer()).status).toBe(200);
  });

  it('is refused for a project of another organization, and for one that is deleted', async () => {
    const others = await createOrg(t.api);
    expect((await transfer({}, org.asOwner, others.projectId)).error).toBe('resource_error/not_found');
    must(await t.api.delete('/projects/web-shop', { ...org.asOwner, body: { confirm: 'web-shop' } }));
    expect((await transfer()).error).toBe('resource_error/not_found');
  });

  it('is refused for a deleted organization', async () => {
    must(
      await t.api.delete(`/orgs/${labs.slug}`, { cookie: org.owner.cookie, body: { confirm: labs.slug } }),
    );
    expect((await transfer()).error).toBe('tenant_error/deleted');
    must(await t.api.post(`/orgs/${labs.slug}/restore`, { cookie: org.owner.cookie }));
  });

  it('moves a project once, also if it is sent three times at the same instant', async () => {
    await push(t.api, org, await createScan(t.api, org));
    const answers = await Promise.all([transfer(), transfer(), transfer()]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 404, 409]).toContain(status);
    await transferProjects(t.services);
    expect(must(await get('/findings', labs))).toHaveLength(1);
    expect(must(await get('/findings'))).toHaveLength(0);
  });
});
