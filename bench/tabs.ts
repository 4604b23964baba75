import { orgSchemaName } from '../db/schema/org-schema.ts';
import { createClient, createScan } from '../tests/support/api/client.ts';
import { pushOf, readOf, wire } from '../tests/support/http/requests.ts';
import { MARK, newRun, type Sent, type Stream, startLoad } from '../tests/support/load/load.ts';
import { figureOf, NONE } from '../tests/support/scenario/figure.ts';
import { median, percentile, sum } from '../tests/support/scenario/stats.ts';
import { bench, inTurns, sequentially } from './support/rounds.ts';

const TABS = 1_000;
const POLL_S = 8;
const PUSHES_PER_SECOND = 200;

/** One round; times in milliseconds, CPU in seconds per second. */
interface Round {
  pushes: Sent;
  polls?: Sent;
  cpu: number;
  /** Statements that read the revision. */
  reads: number;
}

/** Pages that are open must not slow down pushes. */
export const tabs = bench({
  summary: `${TABS} open pages poll GET /revision every ${POLL_S} s beside ${PUSHES_PER_SECOND} pushes per second; 1,000,000 findings`,

  async run(scene, { rounds, seconds, rows }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: rows, bytes: 1_000 });
    const scanId = await createScan(createClient(fetch, server.url), org);
    const { sql } = await scene.database();
    const pushes: Stream = {
      requests: [wire(server.url, pushOf(org, scanId, { fingerprint: MARK, title: `Finding ${MARK}` }))],
      status: 201,
      perSecond: PUSHES_PER_SECOND,
    };
    // Each push is a new finding, so that most polls see a new revision.
    const polls: Stream = {
      requests: [wire(server.url, readOf(org, '/revision'))],
      status: 200,
      perSecond: TABS / POLL_S,
    };
    const scansOf = async () => {
      const [row] = await sql.unsafe<{ scans: number }[]>(
        `select (seq_scan + coalesce(idx_scan, 0))::int as scans from pg_stat_user_tables
          where schemaname = $1 and relname = 'scan_counts'`,
        [orgSchemaName(org.id)],
      );
      return row?.scans ?? 0;
    };
    const measure = (streams: Record<string, Stream>) => async (): Promise<Round> => {
      const scans = await scansOf();
      const cpu = await server.cpuSeconds();
      const sent = await startLoad({ url: server.url, streams, seconds, run: newRun() }).result;
      const used = ((await server.cpuSeconds()) - cpu) / seconds;
      return { ...(sent as Pick<Round, 'pushes' | 'polls'>), cpu: used, reads: (await scansOf()) - scans };
    };
    const measured = await inTurns<Round>(
      scene,
      rounds,
      'tabs',
      { ours: measure({ pushes, polls }), limit: measure({ pushes }) },
      ({ pushes, cpu }) => `p99 ${p99(pushes).toFixed(1)} ms, CPU ${cpu.toFixed(2)}`,
    );
    const own = await sequentially(server.url, readOf(org, '/revision'))();
    const limitedBy = 'the same without open pages';
    const failed = (sent?: Sent) => sum(Object.values(sent?.others ?? {}));
    return [
      {
        name: 'push p99 ms',
        ...figureOf(measured, ({ pushes }) => p99(pushes)),
        limitedBy,
        aim: { atMost: 1.5 },
      },
      { name: 'server CPU, of one processor', ...figureOf(measured, ({ cpu }) => cpu), limitedBy },
      {
        name: 'poll p50 ms',
        value: median(measured.ours.map(({ polls }) => percentile(polls?.times ?? [], 0.5))),
      },
      { name: 'poll p99 ms', value: median(measured.ours.map(({ polls }) => p99(polls))) },
      { name: 'poll ms, one at a time', value: own },
      {
        name: 'revision queries/s',
        value: median(measured.ours.map(({ reads }) => reads / seconds)),
        aim: { atMost: 1 },
      },
      {
        name: 'errors',
        value: sum(measured.ours.map(({ pushes, polls }) => failed(pushes) + failed(polls))),
        aim: NONE,
      },
    ];
  },
});

const p99 = (sent?: Sent) => percentile(sent?.times ?? [], 0.99);
