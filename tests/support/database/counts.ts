import { expect } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { FINDING_STATUSES, SEVERITIES, UNRESOLVED } from '../../../db/schema/values.ts';
import { type Api, must, type TestOrg } from '../api/api.ts';

interface Count {
  project: string;
  severity?: string;
  status: string;
  n: number;
}

/** Counts an org's rows, and expects the same of the counts that are kept. */
export async function expectKeptCounts({ sql }: Database, { id }: { id: string }) {
  const schema = `"${orgSchemaName(id)}"`;
  const read = (keys: string, what: string, from: string) =>
    sql.unsafe<Count[]>(
      `select project_id as project, ${keys}, ${what}::int as n from ${schema}.${from} order by project_id, ${keys}`,
    );
  const ofFindings = 'findings group by project_id, severity, status';
  const findings = await read('severity, status', 'count(*)', ofFindings);
  const regressed = await read('severity, status', 'count(*) filter (where regressed)', ofFindings);
  const scans = await read('status', 'count(*)', 'scans group by project_id, status');
  expect([...(await read('severity, status', 'count', 'finding_counts where count <> 0'))]).toEqual([
    ...findings,
  ]);
  expect([...(await read('severity, status', 'regressed', 'finding_counts where count <> 0'))]).toEqual([
    ...regressed,
  ]);
  expect([...(await read('status', 'count', 'scan_counts where count <> 0'))]).toEqual([...scans]);
  const proposed = await read('severity, status', 'count(*) filter (where proposed)', ofFindings);
  expect([...(await read('severity, status', 'proposed', 'finding_counts where count <> 0'))]).toEqual([
    ...proposed,
  ]);
  const ordinary = findings.map((count, i) => ({ ...count, n: count.n - (proposed[i]?.n ?? 0) }));
  return { findings: [...findings], ordinary, regressed: [...regressed], scans: [...scans] };
}

/** Expects that nothing is left of deleted findings and scans, and that the summaries of ended scans count what is there. */
export async function expectNothingLeft({ sql }: Database, { id }: { id: string }): Promise<void> {
  const schema = `"${orgSchemaName(id)}"`;
  for (const table of ['exploits', 'finding_events', 'finding_refs', 'sightings', 'rule_changes']) {
    const left = `select * from ${schema}.${table} where finding_id not in (select id from ${schema}.findings)`;
    expect([...(await sql.unsafe(left))], table).toEqual([]);
  }
  const unscanned = `select * from ${schema}.sightings where scan_id not in (select scan_id from ${schema}.scans)`;
  expect([...(await sql.unsafe(unscanned))]).toEqual([]);
  const wrong = await sql.unsafe(
    `select * from (
       select scan_id, (summary ->> 'total')::int as total,
         (select count(*) from ${schema}.findings f where f.scan_id = k.scan_id)::int +
         (select count(*) from ${schema}.sightings s where s.scan_id = k.scan_id)::int as counted
       from ${schema}.scans k where status <> 'running'
     ) k where total <> counted`,
  );
  expect([...wrong]).toEqual([]);
}

const sum = (counts: readonly Count[]) => counts.reduce((total, { n }) => total + n, 0);

/** Expects that the counts that are kept, the dashboard and the totals of pages say what the rows say. */
export async function expectRightCounts(database: Database, api: Api, org: TestOrg): Promise<void> {
  const { findings, ordinary, regressed, scans } = await expectKeptCounts(database, org);
  const bySeverity = SEVERITIES.map((severity) => [
    severity,
    sum(ordinary.filter((count) => count.severity === severity)),
  ]);
  const stats = must(await api.get('/dashboard/stats', org.asOwner));
  expect(stats).toMatchObject({
    total_scans: sum(scans),
    active_scans: sum(scans.filter(({ status }) => status === 'running')),
    total_findings: sum(ordinary),
    severity_breakdown: { total: sum(ordinary), ...Object.fromEntries(bySeverity) },
  });
  expect(stats.recent_findings).toEqual(
    must(await api.get('/findings?per_page=10&proposed=false', org.asOwner)),
  );

  const total = async (path: string, query = '') =>
    (await api.get(`${path}?per_page=1${query}`, org.asOwner)).json.result_info.total;
  expect(await total('/scans')).toBe(sum(scans));
  const two = <T>(values: readonly T[]) => [values[0], values.at(-1)] as const;
  for (const [query, matches] of [
    ['', () => true],
    [`&project_id=${org.projectId}`, ({ project }) => project === org.projectId],
    [`&severity=${two(SEVERITIES)}`, ({ severity }) => two(SEVERITIES).includes(severity as never)],
    [`&status=${two(FINDING_STATUSES)}`, ({ status }) => two(FINDING_STATUSES).includes(status as never)],
    [
      `&project_id=${org.projectId}&severity=high&status=open`,
      (count) => count.project === org.projectId && count.severity === 'high' && count.status === 'open',
    ],
  ] satisfies [string, (count: Count) => boolean][]) {
    expect([query, await total('/findings', query)]).toEqual([query, sum(findings.filter(matches))]);
  }
  const isResolved = ({ status }: Count) => !UNRESOLVED.includes(status as never);
  const ofAttention = sum(ordinary) - sum(ordinary.filter(isResolved)) + sum(regressed.filter(isResolved));
  expect(await total('/findings', '&regressed=true')).toBe(sum(regressed));
  expect(await total('/findings', '&regressed=false')).toBe(sum(findings) - sum(regressed));
  expect(await total('/findings', '&attention=true&sort=-priority')).toBe(ofAttention);
  const projects = must(await api.get('/dashboard/projects', org.asOwner));
  const totals = (name: 'attention' | 'regressed') =>
    projects.reduce(
      (all: number, project: Record<typeof name, { total: number }>) => all + project[name].total,
      0,
    );
  expect([totals('attention'), totals('regressed')]).toEqual([ofAttention, sum(regressed)]);
}
