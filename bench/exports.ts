import { setTimeout as sleep } from 'node:timers/promises';
import { asMember, download } from '../tests/support/http/requests.ts';
import type { Bench, Figure } from '../tests/support/scenario/figure.ts';
import { figureOf, inTurns } from './support/rounds.ts';

const ROWS = 100_000;
const ROW_BYTES = 1_000;

/** What is asked for, and in how many times the milliseconds of the whole list it should be there. */
const EXPORTS = [
  { name: 'csv', query: 'format=csv', atMost: 1.5 },
  { name: 'sarif', query: 'format=sarif', atMost: 3 },
  { name: 'json without descriptions', query: 'omit=description', atMost: 1 },
] as const;

/** Findings as files: as fast as the list as JSON, in flat memory. */
export const exports: Bench = {
  summary: 'GET /findings of 100,000 rows of 1 KB as CSV and SARIF, against the same as JSON',

  async run(stage) {
    const server = await stage.server();
    const org = await stage.seed(server, { findings: ROWS, bytes: ROW_BYTES });
    const read = async (query: string) => {
      const path = `/findings?${query}`;
      const answer = await download(server.origin, { method: 'GET', path, headers: asMember(org) });
      if (answer.status !== 200 || answer.bytes < ROWS * 400)
        throw new Error(`${query}: status ${answer.status}, ${answer.bytes} bytes`);
      return answer;
    };
    const figures: Figure[] = [];
    for (const { name, query, atMost } of EXPORTS) {
      const rounds = await inTurns(
        stage,
        name,
        { ours: () => read(query), limit: () => read('') },
        ({ total, bytes }) => `${Math.round(total)} ms for ${Math.round(bytes / 1024 ** 2)} MiB`,
      );
      const figure = figureOf(rounds, ({ total }) => total);
      figures.push({ name: `${name} ms`, ...figure, limitedBy: 'the list as JSON', aim: { atMost } });
    }
    const before = (await server.memory()) ?? Number.NaN;
    let highest = before;
    let reading = true;
    const watch = (async () => {
      while (reading) {
        highest = Math.max(highest, (await server.memory()) ?? 0);
        await sleep(10);
      }
    })();
    for (const { query } of EXPORTS)
      for (let round = 0; round < stage.options.rounds; round++) await read(query);
    reading = false;
    await watch;
    return [...figures, { name: 'RSS growth MiB', value: highest - before, aim: { atMost: 64 } }];
  },
};
