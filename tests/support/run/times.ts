import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { treeCpuSecondsOf } from '../server/proc.ts';

interface Times {
  /** The test file, or the folder. */
  name: string;
  tests: number;
  /** Wall time, in seconds. Files run beside each other. */
  wallS: number;
  /** Processor time of the worker and of what it has started, without PostgreSQL, in seconds. */
  cpuS: number;
}

const round = (seconds: number) => Math.round(seconds * 10) / 10;

/**
 * Writes wall and processor time of each test file to a JSON file, and prints both by folder.
 * @param path of the JSON file (`SVC_TEST_TIMES`)
 */
export function reportTimes(path: string): Reporter {
  let began = 0;
  return {
    onInit() {
      began = performance.now();
    },
    async onTestRunEnd(modules) {
      const files = modules.map(timesOf).sort((a, b) => b.cpuS - a.cpuS);
      const total = {
        wallS: round((performance.now() - began) / 1_000),
        cpuS: round(await treeCpuSecondsOf(process.pid)),
      };
      const byFolder = new Map<string, Times>();
      for (const file of files) {
        const name = file.name.split('/')[0] ?? '';
        byFolder.set(name, add(byFolder.get(name) ?? { name, tests: 0, wallS: 0, cpuS: 0 }, file));
      }
      const folders = [...byFolder.values()].sort((a, b) => b.cpuS - a.cpuS);
      await writeFile(path, JSON.stringify({ total, folders, files }, null, 2));
      const rows = folders.map(({ name, tests, wallS, cpuS }) =>
        [
          name.padEnd(14),
          `${tests}`.padStart(6),
          wallS.toFixed(0).padStart(7),
          cpuS.toFixed(0).padStart(7),
        ].join(' '),
      );
      process.stdout.write(
        `\n${['folder        ', ' tests', 'wall, s', ' cpu, s'].join(' ')}\n${rows.join('\n')}\n` +
          `The run: ${total.wallS} s, ${total.cpuS} s of processor time with PostgreSQL and the build\n`,
      );
    },
  };
}

function timesOf(module: TestModule): Times {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return {
    name: relative('tests', module.moduleId).replace(/\.test\.ts$/, ''),
    tests: [...module.children.allTests()].length,
    wallS: round((duration + collectDuration + setupDuration) / 1_000),
    // None if all of its tests are skipped.
    cpuS: round(module.meta().cpuS ?? 0),
  };
}

const add = (sum: Times, { tests, wallS, cpuS }: Times): Times => ({
  ...sum,
  tests: sum.tests + tests,
  wallS: round(sum.wallS + wallS),
  cpuS: round(sum.cpuS + cpuS),
});
