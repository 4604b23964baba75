import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../scenario/site.ts';
import type { ServerProcess } from './process.ts';

/** Measures how long a server's event loop is blocked. */
export interface LoopWatch {
  /** Settings for the server. */
  env: Record<string, string>;
  /** The longest time since the last call, in milliseconds. */
  longest(server: ServerProcess): Promise<number>;
}

/** Runs in the server: on SIGUSR2 it writes the longest delay of its event loop since the last signal. */
const LOOP_DELAY = `data:text/javascript,${encodeURIComponent(`
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  import { renameSync, writeFileSync } from 'node:fs';
  const { LOOP_FILE } = process.env;
  const histogram = monitorEventLoopDelay({ resolution: 2 });
  histogram.enable();
  process.on('SIGUSR2', () => {
    writeFileSync(LOOP_FILE + '.new', String(histogram.max / 1e6));
    renameSync(LOOP_FILE + '.new', LOOP_FILE);
    histogram.reset();
  });
`)}`;

/** A watch for one server. */
export function watchLoop(site: Site): LoopWatch {
  const file = join(site.workDir, 'loop-delay');
  return {
    env: { LOOP_FILE: file, NODE_OPTIONS: `--import=${LOOP_DELAY}` },
    async longest(server) {
      await rm(file, { force: true });
      server.signal('SIGUSR2');
      for (;;) {
        const text = await readFile(file, 'utf8').catch(() => '');
        if (text !== '') return Number(text);
        await sleep(5);
      }
    },
  };
}
