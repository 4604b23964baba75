import { beforeAll, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { housekeeping } from '../../lib/maintenance/housekeeping.ts';
import {
  type Answer,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { type CitusApp, startCitusApp } from '../support/citus/app.ts';
import { citusBinDir } from '../support/citus/cluster.ts';
import { moveOrg, workersOf } from '../support/citus/placements.ts';
import { planTour } from '../support/contract/tour.ts';
import { silentLog } from '../support/server/log.ts';

/* All that members and agents do for an organization on one worker, and periodic tasks, while another worker is down. */

const DAY_MS = 24 * 60 * 60_000;

const binDir = citusBinDir() ?? '';
let on: CitusApp;
/** On the worker that is down. */
let lost: TestOrg;
let org: TestOrg;
/** The slug of another organization of the same owner, on the same worker. */
let target: string;
/** A member of the first two, whose account is deleted. */
let leaving: TestUser;
/** Errors of responses, by endpoint. */
const refused: Record<string, (string | undefined)[]> = {};
/** Logged errors with their organization. */
const failed: string[] = [];

const api = () => on.t.api;
const as = (body?: object) => ({ ...org.asOwner, ...(body && { body }) });
const agent = (body?: object) => ({ ...org.asAgent, ...(body && { body }) });
const read = async (path: string) => must(await api().get(path, as()));
const statusOf = async (id: string) => (await read(`/findings/${id}`)).status;

async function endScan(scanId: string) {
  must(await api().patch(`/agent/scans/${scanId}`, agent({ status: 'completed' })));
}

/** All organizations that the tour has made by then are moved to one worker. */
async function loseOtherWorker(): Promise<void> {
  const [one, other] = (await workersOf(on.admin)) as [string, string];
  const orgs = await on.admin.unsafe<{ id: string }[]>('select id from shared.orgs where schema_version > 0');
  for (const { id } of orgs) await moveOrg(on.admin, id, id === lost.id ? one : other);
  await on.cluster.workers[0]?.stop('SIGKILL');
}

describe.skipIf(!binDir)('while another worker is down', () => {
  beforeAll(async () => {
    on = await startCitusApp(binDir, {
      log: {
        ...silentLog,
        error: (message, { error, ...about } = {}) =>
          void failed.push(`${message}: ${Object.values(about)}: ${error}`),
      },
    });
    lost = await createOrg(api());
    org = await createOrg(api());
    target = must(await api().post('/orgs', as({ name: 'Labs' }))).slug;
    must(await api().post('/projects', { ...org.asOwner, org: target, body: { name: 'First' } }));
    leaving = await createUser(api());
    for (const { asOwner } of [lost, org]) {
      const body = { email: leaving.email, role: 'member' };
      must(await api().post('/members/invite', { ...asOwner, body }));
    }
    const [{ slug }] = must(await api().get('/orgs', leaving));
    must(await api().delete(`/orgs/${slug}`, { cookie: leaving.cookie, body: { confirm: slug } }));
    await makeDue(lost);
    for (const [name, call] of Object.entries(planTour(on.t))) {
      if (name === 'listOrgs') await loseOtherWorker();
      const answers = await call().catch((error: Error) => [{ status: 500, error: error.message } as Answer]);
      const bad = [answers].flat().filter(({ status }) => status >= 400);
      if (bad.length > 0) refused[name] = bad.map(({ error }) => error);
    }
  });

  it('every endpoint succeeds', () => {
    expect(refused).toEqual({});
    expect(failed).toEqual([]);
  });

  it('findings are triaged by ids and by a filter, and changes are undone', async () => {
    const scanId = await createScan(api(), org);
    const ids: string[] = [];
    for (const fingerprint of ['a', 'b', 'c']) ids.push((await push(api(), org, scanId, { fingerprint })).id);
    const change = {
      status: 'wontfix',
      reason: 'mitigated',
      note: 'Behind a proxy.',
      assignee_id: org.owner.id,
    };
    const accepted_until = new Date(on.t.services.clock().getTime() + DAY_MS).toISOString();
    const byIds = must(await api().patch('/findings', as({ ...change, accepted_until, ids })));
    expect(byIds.updated).toHaveLength(3);
    const filter = { status: ['wontfix'] };
    const due_at = '2030-01-01T00:00:00.000Z';
    const byFilter = must(await api().patch('/findings', as({ filter, expected_count: 3, due_at })));
    expect(byFilter.updated).toHaveLength(3);
    for (const id of [byFilter.change_ids[0], byIds.change_id])
      expect(must(await api().post(`/changes/${id}/undo`, as())).restored).toHaveLength(3);
    expect(await statusOf(ids[0] as string)).toBe('open');
    const activity = await read(`/findings/${ids[0]}/activity`);
    expect(activity.map(({ kind }: { kind: string }) => kind).sort()).toEqual(
      ['accepted_until', 'assignee', 'due_at', 'status']
        .flatMap((kind) => [kind, kind])
        .concat('created')
        .sort(),
    );
  });

  it('rules are applied to pushes and to known findings, and undone', async () => {
    const scanId = await createScan(api(), org);
    const known = await push(api(), org, scanId, { title: 'Ruled' });
    const rule = {
      name: 'A rule',
      conditions: { title: ['ruled'] },
      actions: { status: 'confirmed', due_days: 3 },
    };
    const { id } = must(await api().post('/rules', as(rule)));
    const pushed = await push(api(), org, scanId, { title: 'Ruled' });
    expect(pushed.status).toBe('confirmed');
    must(await api().post(`/rules/${id}/apply`, as({})));
    expect(await statusOf(known.id)).toBe('confirmed');
    must(await api().post(`/rules/${id}/undo`, as({})));
    expect([await statusOf(known.id), await statusOf(pushed.id)]).toEqual(['open', 'open']);
  });

  it('findings that scans do not report are closed', async () => {
    must(await api().patch(`/projects/${org.projectId}`, as({ close_after_scans: 1 })));
    const [one, other] = [await createScan(api(), org), await createScan(api(), org)];
    const { id } = await push(api(), org, one, { source: 'zap' });
    await endScan(one);
    await push(api(), org, other, { source: 'zap' });
    await endScan(other);
    expect(await statusOf(id)).toBe('fixed');
  });

  it('a project is transferred with its findings', async () => {
    const project = must(await api().post('/projects', as({ name: 'Moving', slug: 'moving' })));
    const report = { findings: [{ title: 'Weak cipher', severity: 'low' }] };
    must(await api().post(`/projects/${project.id}/reports`, as(report)));
    const body = { organization: target, confirm: 'moving' };
    must(await api().post('/projects/moving/transfer', as(body)));
    const moved = must(await api().get('/findings', { ...org.asOwner, org: target }));
    expect(moved.map(({ title }: { title: string }) => title)).toEqual(['Weak cipher']);
  });

  it('periodic tasks serve the other organizations', async () => {
    const made = await makeDue(org);
    must(await api().delete('/auth/me', { cookie: leaving.cookie, body: { confirm: leaving.email } }));
    on.t.advance(40 * DAY_MS);
    for (const { name, run } of housekeeping(on.t.services))
      await run().catch((error) => failed.push(`${name}: ${error}`));
    expect(failed.filter((text) => !text.includes(lost.id) && !text.includes(lost.slug))).toEqual([]);
    const [accepted, resolved] = await on.admin.unsafe(
      `select id, status, assignee_id from "${orgSchemaName(org.id)}".findings where id = any ($1)`,
      [`{${made.accepted},${made.resolved}}`],
    );
    expect(accepted).toEqual({ id: made.accepted, status: 'open', assignee_id: null });
    expect(resolved).toBeUndefined();
  });
});

/** An accepted risk of a person who leaves, and a finding that expires. */
async function makeDue(one: TestOrg): Promise<{ accepted: string; resolved: string }> {
  const change = (id: string, body: object) => api().patch(`/findings/${id}`, { ...one.asOwner, body });
  const scanId = await createScan(api(), one);
  const [accepted, resolved] = [await push(api(), one, scanId), await push(api(), one, scanId)];
  const accepted_until = new Date(on.t.services.clock().getTime() + DAY_MS).toISOString();
  must(await change(accepted.id, { status: 'wontfix', accepted_until, assignee_id: leaving.id }));
  must(await change(resolved.id, { status: 'fixed' }));
  must(
    await api().put('/settings/retention', { ...one.asOwner, body: { resolved_findings: 30, scans: 30 } }),
  );
  return { accepted: accepted.id, resolved: resolved.id };
}
