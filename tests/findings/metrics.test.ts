import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { pastOf } from './past.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
  past = pastOf(t, org);
});

const metrics = async (query = '', as: object = org.asOwner) =>
  must(await t.api.get(`/dashboard/metrics${query}`, as));
const set = async (id: string, body: object) =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body }));
let past: ReturnType<typeof pastOf>;
const run: typeof past.run = (...args) => past.run(...args);
const foundAt = (at: Date, fields?: object) => past.foundAt(at, scanId, fields);
const resolvedAt: typeof past.resolvedAt = (...args) => past.resolvedAt(...args);
const ago = (ms: number, at = Date.now()) => new Date(at - ms);
const day = (text: string) => new Date(`${text}T00:00:00Z`);

describe('the time to resolve', () => {
  it('has mean, median and 90th percentile in hours, by severity', async () => {
    for (const hours of [1, 2, 3, 10])
      await resolvedAt(await foundAt(ago(20 * HOUR_MS)), ago((20 - hours) * HOUR_MS));
    await resolvedAt(await foundAt(ago(DAY_MS), { severity: 'low' }), ago(DAY_MS - HOUR_MS / 2));
    await push(t.api, org, scanId, { severity: 'critical' });
    const { time_to_resolve } = await metrics();
    expect(time_to_resolve).toEqual({
      all: { resolved: 5, mean_hours: 3.3, median_hours: 2, p90_hours: 7.2 },
      critical: { resolved: 0 },
      high: { resolved: 4, mean_hours: 4, median_hours: 2.5, p90_hours: 7.9 },
      medium: { resolved: 0 },
      low: { resolved: 1, mean_hours: 0.5, median_hours: 0.5, p90_hours: 0.5 },
      info: { resolved: 0 },
    });
  });

  it('ends when the finding is resolved first, whatever resolved status it gets later', async () => {
    const { id } = await push(t.api, org, scanId);
    t.advance(2 * HOUR_MS);
    await set(id, { status: 'fixed' });
    t.advance(3 * HOUR_MS);
    const verified = { ...org.asAgent, body: { status: 'verified' } };
    must(await t.api.patch(`/agent/findings/${id}`, verified));
    expect((await metrics()).time_to_resolve.all).toMatchObject({ resolved: 1, mean_hours: 2 });
    // Reopened and resolved again: from when it was found to its last resolution.
    await set(id, { status: 'open' });
    expect((await metrics()).time_to_resolve.all).toEqual({ resolved: 0 });
    await set(id, { status: 'wontfix' });
    expect((await metrics()).time_to_resolve.all).toMatchObject({ resolved: 1, mean_hours: 5 });
  });

  it('of a finding that an earlier version resolved ends with its last change of status', async () => {
    const id = await foundAt(ago(10 * HOUR_MS));
    await resolvedAt(id, ago(6 * HOUR_MS));
    await run('update ORG.findings set resolved_at = null');
    expect((await metrics()).time_to_resolve.all.mean_hours).toBe(4);
    await set(id, { status: 'false_positive' });
    expect((await metrics()).time_to_resolve.all.mean_hours).toBe(4);
  });

  it('does not count findings that have regressed, until they are resolved again', async () => {
    const { id, fingerprint } = await push(t.api, org, scanId);
    await set(id, { status: 'fixed' });
    await push(t.api, org, scanId, { fingerprint });
    expect((await metrics()).time_to_resolve.all.resolved).toBe(0);
    t.advance(HOUR_MS);
    await set(id, { assignee_id: org.owner.id });
    expect((await metrics()).time_to_resolve.all.resolved).toBe(0);
    await set(id, { status: 'fixed' });
    expect((await metrics()).time_to_resolve.all).toMatchObject({ resolved: 1, mean_hours: 1 });
  });
});

it('the share within the due date counts resolved findings that had one', async () => {
  expect((await metrics()).within_due_date).toEqual({ resolved: 0, in_time: 0 });
  must(await t.api.put('/settings/due-dates', { ...org.asOwner, body: { high: 1 } }));
  const [inTime, late, , without] = [
    await push(t.api, org, scanId),
    await push(t.api, org, scanId),
    await push(t.api, org, scanId),
    await push(t.api, org, scanId, { severity: 'low' }),
  ];
  for (const { id } of [inTime, late, without]) await set(id, { status: 'fixed' });
  await run("update ORG.findings set due_at = now() - interval '1 hour' where id = $1", [late.id]);
  expect((await metrics()).within_due_date).toEqual({ resolved: 2, in_time: 1, share: 0.5 });
});

it('unresolved findings are counted by age and severity, regressed ones from their regression', async () => {
  for (const days of [0, 6, 8, 29, 31, 89, 91, 400]) await foundAt(ago(days * DAY_MS + HOUR_MS));
  await foundAt(ago(40 * DAY_MS), { severity: 'critical' });
  await set(await foundAt(ago(50 * DAY_MS)), { status: 'confirmed' });
  await set(await foundAt(ago(60 * DAY_MS)), { status: 'fixed' });
  const old = await foundAt(ago(200 * DAY_MS), { fingerprint: 'back', severity: 'low' });
  await set(old, { status: 'fixed' });
  expect((await push(t.api, org, scanId, { fingerprint: 'back', severity: 'low' })).regressed).toBe(true);
  const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  expect((await metrics()).open_by_age).toMatchObject([
    { ...none, min_days: 0, max_days: 7, total: 3, high: 2, low: 1 },
    { ...none, min_days: 8, max_days: 30, total: 2, high: 2 },
    { ...none, min_days: 31, max_days: 90, total: 4, high: 3, critical: 1 },
    { ...none, min_days: 91, total: 2, high: 2 },
  ]);
});

describe('weeks', () => {
  it('count what was found and resolved, and what is open at their end', async () => {
    // 2026-01-05 is a Monday.
    const first = await foundAt(day('2025-12-20'));
    const second = await foundAt(day('2026-01-06'));
    await foundAt(day('2026-01-11'));
    await foundAt(day('2026-01-12'));
    await foundAt(day('2026-02-20'));
    await resolvedAt(first, day('2026-01-07'));
    await resolvedAt(second, day('2026-01-20'));
    const { from, to, weeks } = await metrics('?from=2026-01-01&to=2026-01-14');
    expect([from, to]).toEqual(['2026-01-01T00:00:00.000Z', '2026-01-15T00:00:00.000Z']);
    const short = weeks.map(({ start, end, ...numbers }: Record<string, string>) => ({
      days: `${start?.slice(5, 10)} ${end?.slice(5, 10)}`,
      ...numbers,
    }));
    expect(short).toEqual([
      { days: '01-01 01-05', found: 0, resolved: 0, open: 1 },
      { days: '01-05 01-12', found: 2, resolved: 1, open: 2 },
      { days: '01-12 01-15', found: 1, resolved: 0, open: 3 },
    ]);
    const later = (await metrics('?from=2026-01-12T12:00:00%2B01:00&to=2026-02-28')).weeks;
    expect(later.at(-1)).toMatchObject({ found: 0, resolved: 0, open: 3 });
    expect(later[0]).toMatchObject({ start: '2026-01-12T11:00:00.000Z', found: 0, open: 3 });
    expect(later[1]).toMatchObject({ found: 0, resolved: 1, open: 2 });
  });

  it('are the last 90 days by default, and end now', async () => {
    await push(t.api, org, scanId);
    const { from, to, weeks } = await metrics();
    expect(Date.parse(to) - Date.parse(from)).toBe(90 * DAY_MS);
    expect(weeks.length).toBeGreaterThanOrEqual(13);
    expect(weeks.at(-1)).toMatchObject({ end: to, found: 1, resolved: 0, open: 1 });
    expect((await metrics('?to=9999-01-01&from=2026-10-01')).to.slice(0, 4)).not.toBe('9999');
  });
});

it('every number is that of a list of findings with filters, also within a project', async () => {
  must(await t.api.put('/settings/due-dates', { ...org.asOwner, body: { high: 5, critical: 1 } }));
  const rule = {
    name: 'Low',
    conditions: { severity: ['low'] },
    actions: { status: 'wontfix', reason: 'other' },
  };
  const { id: ruleId } = must(await t.api.post('/rules', { ...org.asOwner, body: rule }));
  await push(t.api, org, scanId, { severity: 'low', fingerprint: 'by a rule' });
  must(await t.api.delete(`/rules/${ruleId}`, org.asOwner));
  for (const days of [2, 20, 100]) await foundAt(ago(days * DAY_MS));
  await foundAt(ago(200 * DAY_MS), { fingerprint: 'back' }).then((id) => set(id, { status: 'fixed' }));
  expect((await push(t.api, org, scanId, { fingerprint: 'back' })).regressed).toBe(true);
  await resolvedAt(await foundAt(ago(20 * DAY_MS)), ago(10 * DAY_MS));
  await resolvedAt(await foundAt(ago(20 * DAY_MS), { severity: 'critical' }), ago(DAY_MS));
  await run(
    `update ORG.findings set due_at = now() - interval '15 days' where resolved_at < now() - interval '1 hour'`,
  );
  const { id } = await push(t.api, org, scanId, { severity: 'critical' });
  t.advance(HOUR_MS);
  await set(id, { status: 'fixed' });

  for (const project of ['', `project_id=${org.projectId}`]) {
    const { from, to, weeks, resolved, within_due_date, open_by_age } = await metrics(`?${project}`);
    const count = async (query: string) => {
      const answer = await t.api.get(`/findings?${query}&${project}&per_page=1`, org.asOwner);
      return must(answer) && answer.json.result_info.total;
    };
    const inRange = `resolved_after=${from}&resolved_before=${to}`;
    expect(resolved).toMatchObject({ total: 4, critical: 2, high: 1, low: 1 });
    expect(await count(inRange)).toBe(resolved.total);
    for (const severity of ['critical', 'high', 'medium', 'low'])
      expect(await count(`${inRange}&severity=${severity}`)).toBe(resolved[severity]);
    expect(within_due_date).toMatchObject({ resolved: 3, in_time: 1 });
    expect(await count(`${inRange}&resolved_in_time=true`)).toBe(1);
    expect(await count(`${inRange}&resolved_in_time=false`)).toBe(2);
    for (const { start, end, ...week } of weeks) {
      expect(await count(`found_after=${start}&found_before=${end}&proposed=false`)).toBe(week.found);
      expect(await count(`resolved_after=${start}&resolved_before=${end}`)).toBe(week.resolved);
    }
    expect(open_by_age.map(({ total }: { total: number }) => total)).toEqual([2, 1, 0, 1]);
    for (const { unresolved_after, unresolved_before, ...age } of open_by_age) {
      const period = Object.entries({ unresolved_after, unresolved_before }).filter(([, at]) => at);
      const query = new URLSearchParams(period as [string, string][]);
      expect(await count(`${query}`)).toBe(age.total);
      expect(await count(`${query}&severity=high`)).toBe(age.high);
    }
  }
});

it('are of one project only if it is named', async () => {
  const project = must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Other' } }));
  await resolvedAt(await foundAt(ago(DAY_MS)), ago(HOUR_MS));
  await push(t.api, org, scanId);
  const empty = await metrics(`?project_id=${project.id}`);
  const sum = (numbers: Record<string, number>[], key: string) =>
    numbers.reduce((total, one) => total + (one[key] ?? 0), 0);
  const summary = ({ time_to_resolve, open_by_age, weeks }: Awaited<ReturnType<typeof metrics>>) => [
    time_to_resolve.all.resolved,
    sum(open_by_age, 'total'),
    sum(weeks, 'found'),
    sum(weeks, 'resolved'),
    weeks.at(-1).open,
  ];
  expect(summary(empty)).toEqual([0, 0, 0, 0, 0]);
  expect(summary(await metrics(`?project_id=${org.projectId}`))).toEqual([1, 1, 2, 1, 1]);
  expect(summary(await metrics())).toEqual([1, 1, 2, 1, 1]);
  const foreign = await createOrg(t.api);
  expect(summary(await metrics('', foreign.asOwner))).toEqual([0, 0, 0, 0, 0]);
  const answer = await t.api.get(`/dashboard/metrics?project_id=${foreign.projectId}`, org.asOwner);
  expect(answer.error).toBe('resource_error/not_found');
});

it.each([
  ['from=yesterday', 'from'],
  ['from=2026-02-30', 'from'],
  ['to=2026-01-01T00:00:00', 'to'],
  ['from=2026-02-01&to=2026-01-01', 'from'],
  ['from=9000-01-01', 'from'],
  ['from=1969-01-01&to=1970-01-02', 'from'],
  ['from=1970-01-01&to=1969-12-31', 'to'],
  ['from=2024-01-01&to=2025-01-02', 'from'],
  ['project_id=web-shop', 'project_id'],
])('refuses %s', async (query, field) => {
  const answer = await t.api.get(`/dashboard/metrics?${query}`, org.asOwner);
  expect([answer.error, answer.badFields]).toEqual(['validation_error/invalid_request', [field]]);
});
