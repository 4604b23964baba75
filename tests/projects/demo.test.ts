import { beforeAll, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await startApp({ env: { SVC_MAX_PROJECTS_PER_ORG: '2' } });
});

const create = ({ asOwner }: TestOrg) => t.api.post('/projects/demo', asOwner);
const rows = async ({ id }: TestOrg, text: string) =>
  t.services.database.sql.unsafe(text.replaceAll('org.', `"${orgSchemaName(id)}".`));

it('fills an empty organization with findings of five weeks', async () => {
  const org = await createOrg(t.api);
  const read = async (path: string) => must(await t.api.get(path, org.asOwner));
  const answer = await create(org);
  const project = must(answer);
  expect([answer.status, project]).toEqual([
    201,
    expect.objectContaining({ name: 'Demo shop', slug: 'demo-shop', default_ref: 'main', demo: true }),
  ]);
  expect(await read('/projects')).toContainEqual(project);

  const stats = await read('/dashboard/stats');
  expect(stats.total_findings).toBeGreaterThan(150);
  expect(stats.total_findings).toBeLessThan(250);
  const scans = await t.api.get('/scans?per_page=50', org.asOwner);
  expect(scans.json.result_info.total).toBeGreaterThan(15);
  const names = new Set(must(scans).map(({ target }: { target: { ref?: string } }) => target.ref));
  expect([...names].sort()).toEqual(['feature/gift-cards', 'main', undefined]);

  // The tour of the web UI shows these.
  const count = async (query: string) =>
    (await t.api.get(`/findings?per_page=1&page=1&${query}`, org.asOwner)).json.result_info.total;
  for (const status of ['open', 'confirmed', 'fixed', 'verified', 'false_positive', 'wontfix'])
    expect([status, await count(`status=${status}`)]).toEqual([status, expect.toSatisfy((n) => n > 0)]);
  for (const query of ['attention=true', `assignee=${org.owner.id}`, 'overdue=true', 'regressed=true'])
    expect([query, await count(query)]).toEqual([query, expect.toSatisfy((n) => n > 0)]);

  // Written as by the endpoints: counts are right, and nothing is of the future.
  const [counted] = await rows(
    org,
    `select (select sum(count)::int from org.finding_counts) as counted, count(*)::int as found,
      count(*) filter (where proposed)::int as proposed, max(updated_at) <= now() as past,
      min(created_at) > now() - interval '36 days' as recent from org.findings`,
  );
  expect(counted).toEqual({
    ...{
      counted: stats.total_findings + 4,
      found: stats.total_findings + 4,
      proposed: 4,
      past: true,
      recent: true,
    },
  });
  const [made] = await rows(
    org,
    `select count(*) filter (where kind = 'comment')::int as comments, count(distinct actor_id)::int as actors
      from org.finding_events where actor_id is not null`,
  );
  expect(made).toEqual({ comments: 3, actors: 1 });
});

it('is made once, removed as any project, and made again', async () => {
  const org = await createOrg(t.api);
  const answers = await Promise.all(Array.from({ length: 4 }, () => create(org)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
  expect(new Set(answers.map(({ result }) => result.id)).size).toBe(1);
  const { slug } = must(await create(org));
  const removed = await t.api.delete(`/projects/${slug}`, { ...org.asOwner, body: { confirm: slug } });
  expect(removed.status).toBe(204);
  expect(await rows(org, 'select 1 from org.findings')).toHaveLength(0);
  const again = await create(org);
  expect([again.status, again.result.slug, again.result.id === answers[0]?.result.id]).toEqual([
    201,
    slug,
    false,
  ]);
});

it('is refused beside findings, and counts against the quota', async () => {
  const org = await createOrg(t.api);
  await push(t.api, org, await createScan(t.api, org), { title: 'Own' });
  expect([(await create(org)).status, (await create(org)).error]).toEqual([409, 'resource_error/conflict']);

  const full = await createOrg(t.api);
  must(await t.api.post('/projects', { ...full.asOwner, body: { name: 'Second' } }));
  expect((await create(full)).error).toBe('resource_error/conflict');
  expect(must(await t.api.get('/projects', full.asOwner))).toHaveLength(2);
});
