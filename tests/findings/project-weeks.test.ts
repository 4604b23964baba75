import { beforeAll, describe, expect, it } from 'vitest';
import { addProject, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { pastOf } from './past.ts';

let t: TestApp;
beforeAll(async () => {
  t = await startApp();
});

interface Week {
  found: number;
  resolved: number;
  open: number;
}
type Row = { project: { id: string; name: string }; weeks?: Week[] };

const read = async (org: TestOrg, query: string): Promise<Row[]> =>
  must(await t.api.get(`/dashboard/projects?${query}`, org.asOwner));
const weeksOf = async (org: TestOrg, query: string) =>
  Object.fromEntries((await read(org, query)).map(({ project, weeks }) => [project.name, weeks]));
const day = (text: string) => new Date(`${text}T00:00:00Z`);
const JANUARY = 'from=2026-01-01&to=2026-01-14';

describe('the weeks of projects', () => {
  it('count what was found, resolved and open in each project alone', async () => {
    const org = await createOrg(t.api);
    const site = await addProject(t.api, org, 'Site');
    await addProject(t.api, org, 'Empty');
    const past = pastOf(t, org);
    const scan = await createScan(t.api, org);
    const scanOfSite = await createScan(t.api, site);
    // 2026-01-05 is a Monday.
    const first = await past.foundAt(day('2025-12-20'), scan);
    await past.foundAt(day('2026-01-11'), scan, { severity: 'low' });
    await past.foundAt(day('2026-02-20'), scan);
    await past.resolvedAt(first, day('2026-01-07'));
    const later = await past.foundAt(day('2026-01-02'), scanOfSite, {}, site);
    await past.resolvedAt(later, day('2026-03-01'), 'wontfix');
    const empty = { found: 0, resolved: 0, open: 0 };
    const numbers = await weeksOf(org, JANUARY);
    const short = (name: string) =>
      numbers[name]?.map(({ found, resolved, open }: Week) => ({ found, resolved, open }));
    expect(short('Web shop')).toEqual([
      { found: 0, resolved: 0, open: 1 },
      { found: 1, resolved: 1, open: 1 },
      { found: 0, resolved: 0, open: 1 },
    ]);
    expect(short('Site')).toEqual([
      { found: 1, resolved: 0, open: 1 },
      { found: 0, resolved: 0, open: 1 },
      { found: 0, resolved: 0, open: 1 },
    ]);
    expect(short('Empty')).toEqual([empty, empty, empty]);
  });

  it('add up to those of the metrics, regressed and reopened findings included', async () => {
    const org = await createOrg(t.api);
    const other = await addProject(t.api, org, 'Other');
    const past = pastOf(t, org);
    const scan = await createScan(t.api, org);
    const set = async (id: string, status: string) =>
      must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));
    const back = { fingerprint: 'back' };
    await set((await push(t.api, org, scan, back)).id, 'fixed');
    expect((await push(t.api, org, scan, back)).regressed).toBe(true);
    const reopened = (await push(t.api, org, scan, { severity: 'critical' })).id;
    await set(reopened, 'fixed');
    await set(reopened, 'confirmed');
    await set((await push(t.api, org, scan)).id, 'false_positive');
    await past.foundAt(new Date(Date.now() - 20 * 86_400_000), await createScan(t.api, other), {}, other);
    const { from, to, weeks } = must(await t.api.get('/dashboard/metrics', org.asOwner));
    const range = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`;
    const rows = await read(org, range);
    const sum = (key: keyof Week, i: number) =>
      rows.reduce((all, row) => all + (row.weeks?.[i]?.[key] ?? 0), 0);
    expect(weeks.at(-1)).toMatchObject({ found: 3, resolved: 1, open: 3 });
    for (const [i, week] of (weeks as Week[]).entries())
      expect({ found: sum('found', i), resolved: sum('resolved', i), open: sum('open', i) }).toEqual({
        found: week.found,
        resolved: week.resolved,
        open: week.open,
      });
  });

  it('are of the first projects by risk only, and only with a range', async () => {
    const org = await createOrg(t.api);
    const risky = await addProject(t.api, org, 'Risky');
    await push(t.api, risky, await createScan(t.api, risky), { severity: 'critical' });
    expect((await read(org, '')).every(({ weeks }) => weeks === undefined)).toBe(true);
    const limited = await read(org, `limit=1&${JANUARY}`);
    expect(limited.map(({ project, weeks }) => [project.name, weeks?.length])).toEqual([['Risky', 3]]);
    expect(await read(org, 'limit=1')).toHaveLength(1);

    const past = pastOf(t, org);
    await past.run(
      `insert into ORG.projects (id, name, slug, created_at)
       select gen_random_uuid(), 'More ' || lpad(n::text, 2, '0'), 'more-' || n, now() from generate_series(1, 60) n`,
    );
    const rows = await read(org, 'to=2026-01-14');
    expect(rows).toHaveLength(62);
    expect(rows.filter(({ weeks }) => weeks !== undefined)).toHaveLength(50);
    expect(rows[0]?.project.name).toBe('Risky');
    expect(rows[49]?.weeks).toBeDefined();
  });
});

describe('a reader of them', () => {
  it('sees nothing of another organization', async () => {
    const [mine, theirs] = [await createOrg(t.api), await createOrg(t.api)];
    await pastOf(t, theirs).foundAt(day('2026-01-07'), await createScan(t.api, theirs));
    const [row] = await read(mine, JANUARY);
    expect(row?.project.id).toBe(mine.projectId);
    expect(row?.weeks?.every(({ found, open }) => found === 0 && open === 0)).toBe(true);
    const foreign = await t.api.get(`/dashboard/trend?project_id=${theirs.projectId}`, mine.asOwner);
    expect(foreign.error).toBe('resource_error/not_found');
  });
});

it('the trend counts the findings of one project if it is named', async () => {
  const org = await createOrg(t.api);
  const site = await addProject(t.api, org, 'Site');
  await push(t.api, org, await createScan(t.api, org), { severity: 'high' });
  const scan = await createScan(t.api, site);
  for (const severity of ['critical', 'low']) await push(t.api, site, scan, { severity });
  const today = async (query: string) =>
    must(await t.api.get(`/dashboard/trend?days=1${query}`, org.asOwner))[0];
  expect(await today('')).toMatchObject({ total: 3, critical: 1, high: 1, low: 1, unresolved: 3 });
  expect(await today(`&project_id=${site.projectId}`)).toMatchObject({ total: 2, critical: 1, high: 0 });
  expect(await today(`&project_id=${org.projectId}`)).toMatchObject({ total: 1, high: 1, unresolved: 1 });
});

it.each([
  ['projects?from=yesterday', 'from'],
  ['projects?limit=0', 'limit'],
  ['projects?limit=1001', 'limit'],
  ['trend?project_id=web-shop', 'project_id'],
])('refuses %s', async (query, field) => {
  const org = await createOrg(t.api);
  const answer = await t.api.get(`/dashboard/${query}`, org.asOwner);
  expect([answer.error, answer.badFields]).toEqual(['validation_error/invalid_request', [field]]);
});
