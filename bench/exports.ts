import { download, readOf } from '../tests/support/http/requests.ts';
import { type Figure, figureOf } from '../tests/support/scenario/figure.ts';
import { watchPeak } from '../tests/support/server/proc.ts';
import { bench, inTurns } from './support/rounds.ts';

const ROWS = 100_000;
const ROW_BYTES = 1_000;

/** The queries, and the aim for each as a multiple of the time of the whole list. */
const EXPORTS = [
  { name: 'csv', query: 'format=csv', atMost: 1.5 },
  { name: 'sarif', query: 'format=sarif', atMost: 3 },
  { name: 'json without descriptions', query: 'omit=description', atMost: 1 },
] as const;

/** Findings as files: as fast as the list as JSON, in flat memory. */
export const exports = bench({
  summary: 'GET /findings of 100,000 rows of 1 KB as CSV and SARIF, against the same as JSON',

  async run(scene, { rounds }) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: ROWS, bytes: ROW_BYTES });
    const read = async (query: string) => {
      const answer = await download(server.url, readOf(org, `/findings?${query}`));
      if (answer.status !== 200 || answer.bytes < ROWS * 400)
        throw new Error(`${query}: status ${answer.status}, ${answer.bytes} bytes`);
      return answer;
    };
    const figures: Figure[] = [];
    for (const { name, query, atMost } of EXPORTS) {
      const results = await inTurns(
        scene,
        rounds,
        name,
        { ours: () => read(query), limit: () => read('') },
        ({ total, bytes }) => `${Math.round(total)} ms for ${Math.round(bytes / 1024 ** 2)} MiB`,
      );
      const figure = figureOf(results, ({ total }) => total);
      figures.push({ name: `${name} ms`, ...figure, limitedBy: 'the list as JSON', aim: { atMost } });
    }
    const before = await server.memory();
    const peak = watchPeak(server.memory, 10);
    for (const { query } of EXPORTS) for (let round = 0; round < rounds; round++) await read(query);
    const growth = (await peak()) - before;
    return [...figures, { name: 'RSS growth MiB', value: growth, aim: { atMost: 64 } }];
  },
});
