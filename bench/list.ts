import { download, readOf } from '../tests/support/http/requests.ts';
import { figureOf } from '../tests/support/scenario/figure.ts';
import { watchPeak } from '../tests/support/server/proc.ts';
import { copyByPsql, findPsql } from './support/psql.ts';
import { bench, inTurns } from './support/rounds.ts';

const ROWS = 100_000;
const ROW_BYTES = 1_000;

/** A whole list: as fast as the database makes it, in flat memory. */
export const list = bench({
  summary: 'GET /findings of 100,000 rows of 1 KB, against psql copying the same rows as JSON',

  async run(scene, { rounds }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: ROWS, bytes: ROW_BYTES });
    const psql = await findPsql();
    const { url } = await scene.database();
    const ours = async () => {
      const answer = await download(server.url, readOf(org, '/findings'));
      if (answer.status !== 200 || answer.bytes < ROWS * ROW_BYTES * 0.9)
        throw new Error(`status ${answer.status}, ${answer.bytes} bytes`);
      return answer;
    };
    const query = `select row_to_json(f) from (select * from ${org.schema}.findings order by id desc) f`;
    const limit = psql ? async () => ({ total: await copyByPsql(url, query), firstByte: 0 }) : undefined;
    const results = await inTurns<{ total: number; firstByte: number }>(
      scene,
      rounds,
      'list',
      { ours, limit },
      ({ total }) => `${Math.round(total)} ms`,
    );
    const before = await server.memory();
    const peak = watchPeak(server.memory, 10);
    for (let round = 0; round < rounds; round++) await ours();
    const whole = figureOf(results, ({ total }) => total);
    const first = figureOf({ ours: results.ours, limit: [] }, ({ firstByte }) => firstByte);
    return [
      { name: 'whole list ms', ...whole, limitedBy: 'psql, COPY … TO STDOUT', aim: { atMost: 2 } },
      { name: 'first byte ms', ...first, aim: { atMost: 150 } },
      { name: 'RSS growth MiB', value: (await peak()) - before, aim: { atMost: 64 } },
    ];
  },
});
