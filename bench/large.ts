import { recountOrg } from '../db/findings/counts/recount.ts';
import { createClient, createScan } from '../tests/support/api/client.ts';
import type { ScratchDatabase } from '../tests/support/database/scratch.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import { download, pushOf, readOf, type WireRequest, wire } from '../tests/support/http/requests.ts';
import { createWireClient } from '../tests/support/http/wire-client.ts';
import { MARK, markText, newRun } from '../tests/support/load/load.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import { scenario } from '../tests/support/scenario/scene.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { compare, sequentially } from './support/rounds.ts';

const SMALL = 10_000;
const BYTES = 1_000;
const PUSHES = 300;
/** The status of a search that was ended. */
const TOO_LONG = 429;
const MIB = 1024 ** 2;

/** Pages whose time must not depend on the number of findings. */
const PAGES = {
  'first page': '/findings?page=1&per_page=50',
  'page by severity': '/findings?page=1&per_page=50&severity=high&status=open&sort=-severity',
  queue: '/findings?page=1&per_page=50&attention=true&sort=-priority&omit=description',
  dashboard: '/dashboard/stats?omit=description',
  'projects of the dashboard': '/dashboard/projects',
  revision: '/revision',
};

/** Searches, whose time grows with the findings that they read. */
const SEARCHES = {
  'search, 1 in 100,000': '/findings?page=1&q=handler-30.ts:77',
  'search, a title of a tenth': '/findings?page=1&q=%22rule+0%22',
  overdue: '/findings?page=1&overdue=true',
  'one CVE of a hundred': '/findings?page=1&cve=CVE-2026-10042',
  'one CWE of 300': '/findings?page=1&cwe=CWE-42',
  'groups by rule': '/findings?page=1&group_by=rule',
  'metrics of 90 days': '/dashboard/metrics',
};

/** One organization with more findings than any that was measured before: what stays the same, what grows, and its size on disk. */
export const large = scenario({
  summary: `one organization of 5,000,000 findings of a year beside one of ${SMALL}: lists, searches, exports, pushes, upkeep, size`,
  options: { rounds: 3, rows: 5_000_000 },
  minutes: 240,

  async run(scene, { rounds, rows }) {
    const { url } = await scene.server({ env: { SVC_SEARCH_TIMEOUT: '30' } });
    const database = await scene.database();
    const made = (findings: number) => scene.seed({ url }, { findings, bytes: BYTES, isYear: true });
    const small = await made(SMALL);
    const org = await made(rows);
    const figures: Figure[] = [];

    for (const [name, path] of Object.entries(PAGES)) {
      const measures = {
        ours: sequentially(url, readOf(org, path)),
        limit: sequentially(url, readOf(small, path)),
      };
      const figure = await compare(scene, rounds, name, measures, ' ms');
      figures.push({ name: `${name} ms`, ...figure, limitedBy: `${SMALL} findings`, aim: { atMost: 2 } });
    }
    const pushes = { ours: await pushing(url, org), limit: await pushing(url, small) };
    const push = await compare(scene, rounds, 'push of a new finding', pushes, ' ms');
    figures.push({ name: 'push ms', ...push, limitedBy: `${SMALL} findings`, aim: { atMost: 2 } });
    for (const [name, path] of Object.entries(SEARCHES)) {
      const ours = searching(url, readOf(org, path));
      figures.push({ name: `${name} ms`, ...(await compare(scene, rounds, name, { ours }, ' ms')) });
    }
    for (const format of ['json', 'csv']) {
      const { total, bytes, status } = await download(url, readOf(org, `/findings?format=${format}`));
      if (status !== 200 || bytes < rows * 300) throw new Error(`${format}: ${status}, ${bytes} bytes`);
      figures.push({ name: `${format}, findings/s`, value: rows / (total / 1_000) });
    }
    return [...figures, ...(await upkeep(database, org)), ...(await sizes(database, org))];
  },
});

/** The time in milliseconds of a search: at least the timeout of searches if it took longer. */
const searching = (url: string, request: WireRequest) => async () => {
  const { status, total } = await download(url, request);
  if (status !== 200 && status !== TOO_LONG) throw new Error(`${request.path}: ${status}`);
  return total;
};

/** The median time in milliseconds of pushes of new findings, one at a time. */
async function pushing(url: string, org: SeededOrg) {
  const scanId = await createScan(createClient(fetch, url), org);
  const text = wire(url, pushOf(org, scanId, { fingerprint: MARK, title: `Finding ${MARK}` }));
  const run = newRun();
  let count = 0;
  return async () => {
    const client = createWireClient(url);
    const times: number[] = [];
    while (times.length < PUSHES) {
      const began = performance.now();
      const { status } = await client.exchange(text.replaceAll(MARK, markText(run, count++)));
      if (status !== 201) throw new Error(`a push was answered with ${status}`);
      times.push(performance.now() - began);
    }
    client.close();
    return median(times);
  };
}

/** Measures occasional work of operators and PostgreSQL, in seconds. */
async function upkeep({ sql }: ScratchDatabase, { id, schema }: SeededOrg): Promise<Figure[]> {
  const seconds = async (work: () => PromiseLike<unknown>) => {
    const began = performance.now();
    await work();
    return (performance.now() - began) / 1_000;
  };
  const recount = await seconds(async () => {
    const wrong = await recountOrg(sql as never, id);
    if (wrong.length > 0) throw new Error(`${wrong.length} counts were wrong`);
  });
  const seen = `update ${schema}.findings set last_seen_at = now() where fingerprint like 'a%'`;
  return [
    { name: 'recount s', value: recount },
    { name: 'a sixteenth seen again s', value: await seconds(() => sql.unsafe(seen)) },
    { name: 'vacuum s', value: await seconds(() => sql.unsafe(`vacuum (analyze) ${schema}.findings`)) },
  ];
}

/** MiB of the table of findings and of each of its indexes. */
async function sizes({ sql }: ScratchDatabase, { schema }: SeededOrg): Promise<Figure[]> {
  const table = `'${schema}.findings'::regclass`;
  const rows = await sql.unsafe<{ name: string; bytes: number }[]>(`
    select 'rows' as name, pg_table_size(${table})::float8 as bytes
    union all select indexrelid::regclass::text, pg_relation_size(indexrelid)::float8 from pg_index where indrelid = ${table}
    order by bytes desc`);
  return rows.map(({ name, bytes }) => ({ name: `${name.replace(/^.*\./, '')} MiB`, value: bytes / MIB }));
}
