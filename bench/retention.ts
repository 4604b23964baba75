import { setTimeout as sleep } from 'node:timers/promises';
import { recountOrg } from '../db/findings/counts/recount.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { createClient, createScan, must, PASSWORD } from '../tests/support/api/client.ts';
import { pushOf, wire } from '../tests/support/http/requests.ts';
import { MARK, newRun, type Sent, type Stream, startLoad } from '../tests/support/load/load.ts';
import { figureOf, NONE } from '../tests/support/scenario/figure.ts';
import { percentile, sum } from '../tests/support/scenario/stats.ts';
import { bench, inTurns } from './support/rounds.ts';

const PUSHES_PER_SECOND = 200;
/** One of so many findings has expired. */
const EXPIRED = 5;

/** One round; times in milliseconds. */
interface Round {
  pushes: Sent;
  /** Findings removed per second. */
  removed: number;
}

/** The removal of expired findings must not slow down pushes. */
export const retention = bench({
  summary: `${PUSHES_PER_SECOND} pushes per second beside the removal of expired findings, a fifth of 1,000,000`,

  async run(scene, { rounds, seconds, rows }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: rows, bytes: 1_000 });
    const { sql } = await scene.database();
    const api = createClient(fetch, server.url);
    const scanId = await createScan(api, org);
    const schema = `"${orgSchemaName(org.id)}"`;
    await sql.unsafe(`update ${schema}.findings set status = 'fixed', status_changed_at = now() - interval '90 days',
      last_seen_at = now() - interval '90 days'
      where id in (select id from (select id, row_number() over () as n from ${schema}.findings) f where n % ${EXPIRED} = 0)`);
    await recountOrg(sql as never, org.id);
    await sql.unsafe(`vacuum analyze ${schema}.findings`);

    const left = async () => {
      const [row] = await sql.unsafe<{ n: number }[]>(
        `select coalesce(sum(count), 0)::int as n from ${schema}.finding_counts where status = 'fixed'`,
      );
      return row?.n ?? 0;
    };
    const set = async (days: number | null) => {
      must(await api.post('/auth/step-up', { ...org.asOwner, body: { password: PASSWORD } }));
      must(await api.put('/settings/retention', { ...org.asOwner, body: { resolved_findings: days } }));
    };
    /** Servers look for work once a minute. */
    const begin = async () => {
      const before = await left();
      await set(30);
      while ((await left()) === before) await sleep(500);
    };
    /** The turn in progress goes on for up to 10 s. */
    const end = async () => {
      await set(null);
      for (let before = -1, now = await left(); now !== before; now = await left()) {
        before = now;
        await sleep(3_000);
      }
    };

    const pushes: Stream = {
      requests: [wire(server.url, pushOf(org, scanId, { fingerprint: MARK, title: `Finding ${MARK}` }))],
      status: 201,
      perSecond: PUSHES_PER_SECOND,
    };
    const measure = async (): Promise<Round> => {
      const before = await left();
      const sent = await startLoad({ url: server.url, streams: { pushes }, seconds, run: newRun() }).result;
      return { pushes: sent.pushes, removed: (before - (await left())) / seconds };
    };
    const measured = await inTurns<Round>(
      scene,
      rounds,
      'retention',
      {
        limit: measure,
        async ours() {
          await begin();
          const round = await measure();
          await end();
          return round;
        },
      },
      ({ pushes, removed }) => `p99 ${p99(pushes).toFixed(1)} ms, ${Math.round(removed)} removed/s`,
    );
    if (measured.ours.some(({ removed }) => removed === 0)) throw new Error('nothing was removed');
    const failed = measured.ours.flatMap(({ pushes }) => Object.values(pushes.others));
    return [
      {
        name: 'push p99 ms',
        ...figureOf(measured, ({ pushes }) => p99(pushes)),
        limitedBy: 'the same without a removal',
        aim: { atMost: 1.5 },
      },
      {
        name: 'findings removed per second',
        ...figureOf({ ...measured, limit: [] }, ({ removed }) => removed),
      },
      { name: 'failed pushes', value: sum(failed), aim: NONE },
    ];
  },
});

const p99 = ({ times }: Sent) => percentile(times, 0.99);
