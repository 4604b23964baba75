import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createWorkspace } from '../support/agent/agent.ts';
import { afterTest } from '../support/run/suite.ts';

const root = resolve(import.meta.dirname, '../..');
const RUN = ['run', '--config', 'tests/fixtures/killed-run/vitest.config.ts', '--testNamePattern'];
const STARTED_WITHIN_MS = 45_000;
const ENDED_WITHIN_MS = 15_000;

interface Process {
  name: string;
  parent: number;
  state: string;
}

function look(pid: number): Process | undefined {
  try {
    const [, name = '', state = '', parent] =
      /\((.*)\) (\w) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** The processes that `pid` has started, and those that these have started: their names by process id. */
function descendants(pid: number): Map<number, string> {
  const all = readdirSync('/proc').flatMap((name) => {
    const found = Number(name) ? look(Number(name)) : undefined;
    return found ? [{ pid: Number(name), ...found }] : [];
  });
  const found = new Map<number, string>();
  const add = (parent: number) => {
    for (const child of all.filter((one) => one.parent === parent)) {
      found.set(child.pid, child.name);
      add(child.pid);
    }
  };
  add(pid);
  return found;
}

const running = (processes: Map<number, string>) =>
  [...processes].filter(([pid, name]) => {
    const found = look(pid);
    return found?.name === name && !['Z', 'X'].includes(found.state);
  });

/** Starts the run that does not end, and waits until it has started everything. */
async function startRun(program: string, args: string[]) {
  const readyFile = join(createWorkspace(), 'ready');
  const child = spawn(program, args, {
    cwd: root,
    // With a PostgreSQL of its own.
    env: { ...process.env, TEST_DATABASE_URL: undefined, READY_FILE: readyFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  afterTest(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  const isReady = () => existsSync(readyFile) && readFileSync(readyFile, 'utf8');
  const dir = await vi.waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(said);
      return isReady();
    },
    { timeout: STARTED_WITHIN_MS },
  );
  return { child, dir };
}

async function expectNothingLeft(child: ChildProcess, dir: string) {
  const started = descendants(child.pid ?? 0);
  const names = [...started.values()];
  expect(names.filter((name) => name === 'postgres').length).toBeGreaterThan(1);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(running(started)).toEqual([]), { timeout: ENDED_WITHIN_MS });
  await vi.waitFor(() => expect(existsSync(dir)).toBe(false), { timeout: ENDED_WITHIN_MS });
}

// Processes of a run are recognized by what Linux says of them.
describe.skipIf(process.platform !== 'linux')('a test run that is killed', () => {
  it('leaves no PostgreSQL, server, agent, browser or file behind', async () => {
    const { child, dir } = await startRun(process.execPath, [
      'node_modules/vitest/vitest.mjs',
      ...RUN,
      'everything',
    ]);
    await expectNothingLeft(child, dir);
  });

  it('does not go on when it is npm that was killed', async () => {
    const { child, dir } = await startRun('npm', ['exec', '--', 'vitest', ...RUN, 'nothing']);
    await expectNothingLeft(child, dir);
  });
});
