import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import type { FindingStatus, Severity } from '../../../db/schema/values.ts';
import { createClient, createOrg, createScan, must, type TestOrg } from '../api/client.ts';
import type { ScratchDatabase } from './scratch.ts';

/** The contents of an organization. */
export interface SeedOptions {
  /** Spread over projects and scans, the oldest first. */
  findings: number;
  /** Approximate size of a finding's JSON. */
  bytes: number;
  /** Running scans; each gets the same number of findings. */
  scans?: number;
  projects?: number;
  /** Spreads them over a year instead of hours, with due dates, times of resolution, repeated titles and CVEs. */
  isYear?: boolean;
  /** Called before the findings are made. */
  prepare?: (org: TestOrg) => Promise<void>;
}

/** An organization full of findings. */
export interface SeededOrg extends TestOrg {
  schema: string;
  scanIds: string[];
  /** Ids of some of its findings. */
  findingIds: string[];
}

const SAMPLE = 1_000;
/** The size of a finding's JSON without its description. */
const FIELD_BYTES = 700;

/** How many of a hundred findings have each severity and status. */
const SHARES = {
  severity: { critical: 3, high: 17, medium: 40, low: 30, info: 10 },
  status: { open: 60, confirmed: 10, fixed: 20, false_positive: 5, wontfix: 3, verified: 2 },
} satisfies { severity: Record<Severity, number>; status: Record<FindingStatus, number> };

/** Makes an organization through the API and its findings by SQL, and counts them as the service does. */
export async function seedOrg(
  { sql }: Pick<ScratchDatabase, 'sql'>,
  { url }: { url: string },
  { findings, bytes, scans = 10, projects = 10, isYear = false, prepare }: SeedOptions,
): Promise<SeededOrg> {
  const api = createClient(fetch, url);
  const org = await createOrg(api);
  const schema = `"${orgSchemaName(org.id)}"`;
  const projectIds = [org.projectId];
  while (projectIds.length < projects) {
    const body = { name: `Project ${projectIds.length}` };
    projectIds.push(must(await api.post('/projects', { ...org.asOwner, body })).id);
  }
  const scanIds: string[] = [];
  while (scanIds.length < scans) scanIds.push(await createScan(api, org));
  await prepare?.(org);

  await sql.unsafe(
    insertion(schema, { findings, projectIds, scanIds, isYear, description: bytes - FIELD_BYTES }),
  );
  await sql.unsafe(`delete from ${schema}.finding_counts`);
  await sql.unsafe(`insert into ${schema}.finding_counts (project_id, severity, status, count, regressed)
    select project_id, severity, status, count(*), count(*) filter (where regressed) from ${schema}.findings group by 1, 2, 3`);
  await sql.unsafe(`vacuum (analyze) ${schema}.findings`);
  await sql.unsafe(`vacuum (analyze) ${schema}.finding_counts`);
  const sample = await sql.unsafe<{ id: string }[]>(
    `select id from ${schema}.findings order by fingerprint limit ${SAMPLE}`,
  );
  return { ...org, schema, scanIds, findingIds: sample.map(({ id }) => id) };
}

/** Chooses a value by its share of a hundred and the digits of a hash. */
function byShare(hash: string, shares: Record<string, number>): string {
  let sum = 0;
  const cases = Object.entries(shares).map(([value, share]) => {
    sum += share;
    return `when ${hash} < ${sum} then '${value}'`;
  });
  return `case ${cases.join(' ')} end`;
}

function insertion(
  schema: string,
  given: {
    findings: number;
    projectIds: string[];
    scanIds: string[];
    isYear: boolean;
    description: number;
  },
): string {
  const { findings, projectIds, scanIds, isYear, description } = given;
  const milliseconds = isYear ? (365 * 24 * 60 * 60 * 1_000) / findings : 10;
  const oneOf = (values: string[], by: string) =>
    `(array['${values.join("','")}'])[1 + ${by} % ${values.length}]`;
  // A tenth of the findings has one title, a thousandth one CVE.
  const title = isYear
    ? "'Rule ' || floor(1000 * power((n::bigint * 7919 % 10007) / 10007.0, 3))"
    : "'SQL injection in handler ' || n";
  const cve = isYear ? "case when n % 10 = 0 then 'CVE-2026-' || 10000 + n / 10 % 100 end" : 'null';
  const resolvedAt = isYear
    ? "least(now(), at + interval '1 day' * (1 + ('x' || substr(hash, 13, 2))::bit(8)::int))"
    : 'at';
  const dueAt = isYear ? "case when n % 3 > 0 then at + interval '90 days' end" : 'null';
  const digits = (from: number) => `('x' || substr(hash, ${from}, 6))::bit(24)::int % 100`;
  return `
insert into ${schema}.findings (
  id, project_id, fingerprint, scan_id, last_scan_id, title, severity, description, cwe, cve, cvss_score, cvss_vector,
  file, line, source, status, status_changed_at, due_at,
  seen_count, last_seen_at, created_at, updated_at)
select
  (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8' ||
    substr(hash, 4, 15))::uuid,
  ${oneOf(projectIds, 'n')}::uuid, hash, scan, scan, ${title},
  ${byShare(digits(1), SHARES.severity)}, rpad('User input reaches the query. ' || hash, ${description}, hash),
  'CWE-' || n % 300, ${cve}, (n % 100) / 10.0, 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  'src/module-' || n % 97 || '/handler-' || n % 1009 || '.ts', n % 2000 + 1, 'semgrep',
  ${byShare(digits(7), SHARES.status)}, ${resolvedAt}, ${dueAt}, 1, at, at, at
from (
  select n, md5(n::text) as hash, ${oneOf(scanIds, 'n')} as scan,
    date_trunc('milliseconds', now()) - (${findings} - n) * interval '${milliseconds} milliseconds' as at
  from generate_series(1, ${findings}) n
) as made`;
}
