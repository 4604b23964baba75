import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '../../lib/logger.ts';
import { runDueTasks, startTasks, type Task } from '../../lib/maintenance/housekeeping.ts';
import { silentLog } from '../support/server/log.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let runs: string[];
let errors: unknown[];
let log: Logger;

beforeEach(() => {
  vi.useFakeTimers();
  runs = [];
  errors = [];
  log = { ...silentLog, error: (message, fields) => errors.push([message, fields?.task]) };
});

afterEach(() => {
  vi.useRealTimers();
});

const task = (name: string, options: Partial<Task> = {}): Task => ({
  name,
  atStart: true,
  run: async () => runs.push(name),
  ...options,
});

const failing = async () => {
  runs.push('broken');
  throw new Error('on purpose');
};

describe('the tasks of a server', () => {
  it('run at the start if they are to, and once in an interval, give or take a quarter', async () => {
    const stop = startTasks(
      [task('once'), task('often', { everyMs: MINUTE }), task('later', { everyMs: MINUTE, atStart: false })],
      log,
    );
    expect(runs).toEqual(['once', 'often']);
    await vi.advanceTimersByTimeAsync(0.74 * MINUTE);
    expect(runs).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(0.52 * MINUTE);
    expect(runs.slice(2).sort()).toEqual(['later', 'often']);
    stop();
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(runs).toHaveLength(4);
  });

  it('do not run again while they are running', async () => {
    const finish: (() => void)[] = [];
    const run = () => {
      runs.push('slow');
      return new Promise<void>((resolve) => finish.push(resolve));
    };
    const stop = startTasks([task('slow', { everyMs: MINUTE, run })], log);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(runs).toEqual(['slow']);
    finish[0]?.();
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    stop();
    expect(runs).toEqual(['slow', 'slow']);
  });

  it('run again while they are running if they may overlap', async () => {
    const run = () => {
      runs.push('slow');
      return new Promise(() => {});
    };
    const stop = startTasks([task('slow', { everyMs: MINUTE, mayOverlap: true, run })], log);
    await vi.advanceTimersByTimeAsync(1.26 * MINUTE);
    stop();
    expect(runs).toEqual(['slow', 'slow']);
  });

  it('run again after a failure, which is logged', async () => {
    const stop = startTasks([task('broken', { everyMs: MINUTE, run: failing })], log);
    await vi.advanceTimersByTimeAsync(1.26 * MINUTE);
    stop();
    expect(runs).toEqual(['broken', 'broken']);
    expect(errors).toEqual(Array(2).fill(['periodic task failed', 'broken']));
  });
});

describe('the tasks of the edge', () => {
  const tasks = () => [
    task('broken', { everyMs: 5 * SECOND, run: failing }),
    task('hourly', { everyMs: HOUR, atStart: false }),
    task('always'),
  ];

  it('run one after another when they are due, whatever fails', async () => {
    await runDueTasks(tasks(), new Date('2026-01-01T10:00:07Z'), log);
    expect(runs).toEqual(['broken', 'hourly', 'always']);
    await runDueTasks(tasks(), new Date('2026-01-01T10:01:07Z'), log);
    expect(runs.slice(3)).toEqual(['broken', 'always']);
    expect(errors).toHaveLength(2);
  });

  it('do not wait for each other for ever', async () => {
    const hanging = task('hanging', { run: () => new Promise(() => {}) });
    const done = runDueTasks([hanging, task('next')], new Date(), log);
    await vi.advanceTimersByTimeAsync(4 * MINUTE);
    expect(runs).toEqual([]);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(runs).toEqual(['next']);
    await done;
  });
});
