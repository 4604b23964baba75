import { beforeAll, describe, expect, it } from 'vitest';
import { countByDay } from '../../db/findings/counts/trend.ts';
import { createIngest } from '../../db/findings/ingest/ingest.ts';
import { createIds } from '../../db/ids.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import type { Severity } from '../../db/schema/values.ts';
import { addProject, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
const DAY_MS = 24 * 60 * 60 * 1_000;

beforeAll(async () => {
  t = await startApp();
  // No day may end on the way.
  const left = DAY_MS - (t.services.clock().getTime() % DAY_MS);
  if (left < 30 * 60_000) t.advance(left);
});

describe('GET /dashboard/trend', () => {
  const trend = (org: TestOrg, query = '') => t.api.get(`/dashboard/trend${query}`, org.asOwner);

  it('has a row for every day, today last, also where there is nothing', async () => {
    const org = await createOrg(t.api);
    const today = t.services.clock().toISOString().slice(0, 10);
    for (const [query, days] of [
      ['', 30],
      ['?days=1', 1],
      ['?days=365', 365],
    ] as const) {
      const rows: { date: string }[] = must(await trend(org, query));
      expect(rows).toHaveLength(days);
      expect(rows.at(-1)).toEqual({ date: today, ...NOTHING });
      for (const [i, { date }] of rows.entries()) {
        const daysAgo = (Date.parse(today) - Date.parse(date)) / DAY_MS;
        expect(daysAgo).toBe(days - 1 - i);
      }
    }
  });

  it('counts findings by severity when they are first reported, whatever becomes of them', async () => {
    const org = await createOrg(t.api);
    const scanId = await createScan(t.api, org);
    const ids: string[] = [];
    for (const severity of ['critical', 'critical', 'high', 'info', 'info', 'info'])
      ids.push((await push(t.api, org, scanId, { severity, fingerprint: `print-${ids.length}` })).id);
    for (const [i, status] of ['fixed', 'confirmed', 'wontfix', 'false_positive'].entries())
      must(await t.api.patch(`/findings/${ids[i]}`, { ...org.asOwner, body: { status } }));
    // Seen again: no new one.
    await push(t.api, org, scanId, { severity: 'info', fingerprint: 'print-5' });
    expect(must(await trend(org)).at(-1)).toMatchObject({
      total: 6,
      ...{ critical: 2, high: 1, medium: 0, low: 0, info: 3 },
      unresolved: 3,
    });
    // With another severity it counts as that from now on.
    await push(t.api, org, scanId, { severity: 'low', fingerprint: 'print-5' });
    expect(must(await trend(org)).at(-1)).toMatchObject({ total: 6, low: 1, info: 2 });

    const other = await createOrg(t.api);
    expect(must(await trend(other)).at(-1)).toMatchObject(NOTHING);
  });

  it('begins days at midnight UTC, at the ends of months and years too', async () => {
    const org = await createOrg(t.api);
    const scanId = await createScan(t.api, org);
    const tables = defineOrgTables(orgSchemaName(org.id));
    const { sql, withConnection } = t.services.database;
    const reported = {
      '2023-12-31T23:59:59.999Z': 'critical',
      '2024-01-01T00:00:00.000Z': 'high',
      '2024-02-28T23:59:59.999Z': 'medium',
      '2024-02-29T00:00:00.000Z': 'low',
      '2024-02-29T23:59:59.999Z': 'low',
      '2024-03-01T00:00:00.000Z': 'info',
      '2024-03-01T23:59:59.999Z': 'critical',
      '2024-03-02T00:00:00.000Z': 'high',
    } satisfies Record<string, Severity>;
    for (const [at, severity] of Object.entries(reported)) {
      const ingest = createIngest(
        withConnection,
        createIds(() => new Date(at)),
      );
      const { projectId: project_id, tokenId } = org;
      const texts = { fingerprint: at, title: 'At midnight', description: 'Or just before.' };
      await ingest({ id: org.id, tables }, tokenId, {
        project_id,
        scan_id: scanId,
        severity,
        ...texts,
      });
    }
    /** Days with findings, and which. */
    const days = async (now: string, days: number) =>
      Object.fromEntries(
        (await countByDay(sql, tables, new Date(now), days))
          .filter(({ total }) => total > 0)
          .map(({ date, total, unresolved, ...severities }) => {
            expect(unresolved).toBe(total);
            return [date, Object.fromEntries(Object.entries(severities).filter(([, count]) => count > 0))];
          }),
      );
    const leap = { '2024-02-28': { medium: 1 }, '2024-02-29': { low: 2 } };
    const first = { '2024-03-01': { critical: 1, info: 1 } };
    for (const now of ['2024-03-01T00:00:00.000Z', '2024-03-01T23:59:59.999Z'])
      expect(await days(now, 3)).toEqual({ ...leap, ...first });
    // Findings later than the day of `now` are on none.
    expect(await days('2024-02-29T12:00:00.000Z', 30)).toEqual(leap);
    expect(await days('2024-03-02T00:00:00.000Z', 2)).toEqual({ ...first, '2024-03-02': { high: 1 } });
    expect(await days('2024-01-01T00:00:00.000Z', 2)).toEqual({
      '2023-12-31': { critical: 1 },
      '2024-01-01': { high: 1 },
    });
    expect(Object.keys(await days('2024-12-30T00:00:00.000Z', 365))).toEqual([
      '2024-01-01',
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
      '2024-03-02',
    ]);
  });

  it.each(['0', '366', '-1', '1.5', 'all', '', '1&days=2'])('refuses days=%s', async (days) => {
    const answer = await trend(await anyOrg(), `?days=${days}`);
    expect(answer.refusal).toBe('400 validation_error/invalid_request days');
  });
});

describe('GET /dashboard/projects', () => {
  const projects = async (org: TestOrg) => must(await t.api.get('/dashboard/projects', org.asOwner));

  it('shows every project, those with the most that is critical and unresolved first', async () => {
    const org = await createOrg(t.api);
    const shop = org.projectId;
    const make = (name: string) => addProject(t.api, org, name);
    const site = await make('Site');
    await make('empty');
    await make('Docs');
    const status = (id: string, status: string) =>
      t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }).then(must);

    // The shop has more that is critical, but resolved.
    const first = await createScan(t.api, org);
    for (const settled of ['fixed', 'wontfix', 'false_positive'])
      await status((await push(t.api, org, first, { severity: 'critical' })).id, settled);
    await push(t.api, org, first, { severity: 'high' });
    await push(t.api, org, first, { severity: 'high' });
    const scanOfSite = await createScan(t.api, site);
    await status((await push(t.api, site, scanOfSite, { severity: 'critical' })).id, 'confirmed');
    t.advance(60_000);
    const last = await createScan(t.api, org);

    const startedAt = async (id: string) => must(await t.api.get(`/scans/${id}`, org.asOwner)).started_at;
    expect(await projects(org)).toEqual([
      {
        project: { id: site.projectId, name: 'Site', slug: 'site' },
        ...NOTHING,
        ...{ total: 1, unresolved: 1, critical: 1 },
        ...{ attention: { ...NONE, total: 1, critical: 1 }, regressed: NONE },
        last_scan_at: await startedAt(scanOfSite),
      },
      {
        project: { id: shop, name: 'Web shop', slug: 'web-shop' },
        ...NOTHING,
        ...{ total: 5, unresolved: 2, high: 2 },
        ...{ attention: { ...NONE, total: 2, high: 2 }, regressed: NONE },
        last_scan_at: await startedAt(last),
      },
      // By name, however it is written.
      { project: expect.objectContaining({ name: 'Docs' }), ...NOTHING, attention: NONE, regressed: NONE },
      { project: expect.objectContaining({ name: 'empty' }), ...NOTHING, attention: NONE, regressed: NONE },
    ]);
  });

  it('is empty without projects, and shows none of another organization', async () => {
    const { owner } = await createOrg(t.api);
    const slug = `bare-${Date.now()}`;
    must(await t.api.post('/orgs', { cookie: owner.cookie, body: { name: 'Bare', slug } }));
    expect(must(await t.api.get('/dashboard/projects', { cookie: owner.cookie, org: slug }))).toEqual([]);
  });
});

const NOTHING = { total: 0, critical: 0, high: 0, medium: 0, low: 0, info: 0, unresolved: 0 };
const { unresolved: _, ...NONE } = NOTHING;

let org: TestOrg | undefined;
async function anyOrg(): Promise<TestOrg> {
  org ??= await createOrg(t.api);
  return org;
}
