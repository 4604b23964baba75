import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { percentile, sum } from '../scenario/stats.ts';
import { type Running, startHelper } from './helper.ts';

/** Requests of one kind, and when they are sent. */
export type Stream = {
  /** Whole requests, head and body, sent one after the other. {@link MARK} stands for a text that is new in each. */
  requests: readonly string[];
  /** The expected status. */
  status: number;
} & (
  | {
      /** Closed loop: each connection sends its next request when it has the response to the last. */
      connections: number;
    }
  | {
      /** Constant rate, however long the responses take. */
      perSecond: number;
    }
);

export interface Load<Name extends string = string> {
  /** The server's, without a path. */
  url: string;
  streams: Record<Name, Stream>;
  /** Unset: until it is stopped. */
  seconds?: number;
  /** Eight hexadecimal digits, part of the texts: those of two runs differ. A new one by default. */
  run?: string | undefined;
  /** This many different texts take the mark's place, again and again; unset, no two are the same. */
  distinct?: number | undefined;
  /** Breaks off what is not answered in time. By default the last requests are waited for. */
  breaksOff?: boolean;
  /** Priority of the process that sends, where this user may set it: before all others, or only when a processor is idle. */
  priority?: 'first' | 'last';
}

/** The outcomes of a stream's requests. */
export interface Sent {
  /** Milliseconds of each response with the expected status. */
  times: Float64Array;
  /** Other outcomes: a status with the error's code, such as `401 invalid_credentials`, or a broken connection. */
  others: Record<string, number>;
  /** The longest time to any outcome. */
  slowestMs: number;
  seconds: number;
}

/** Has the length of the text that takes its place, so that `content-length` stays true. */
export const MARK = '#'.repeat(36);

export const newRun = (): string => randomBytes(4).toString('hex');

/** The text that takes the mark's place, in load-process.ts and in wrk.lua. */
export function markText(run: string, count: number, distinct?: number): string {
  const random = distinct ? '' : Math.random().toString(16).slice(2, 14);
  const number = distinct ? count % distinct : count;
  return `${random.padEnd(16, '0')}${run}${`${number}`.padStart(12, '0')}`;
}

/** Sends a load from a process of its own. */
export const startLoad = <Name extends string>(load: Load<Name>): Running<true, Record<Name, Sent>> =>
  startHelper(join(import.meta.dirname, 'load-process.ts'), { ...load, run: load.run ?? newRun() });

/** One stream in a closed loop, of which only a summary is wanted. */
export interface ClosedLoad extends Omit<Load, 'streams' | 'breaksOff'> {
  requests: readonly string[];
  status: number;
  connections: number;
  seconds: number;
}

/** Summary of a load; times in milliseconds. */
export interface LoadResult {
  /** Responses with the expected status. */
  answered: number;
  /** Other responses, and broken connections. */
  errors: number;
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
}

/** Sends closed loops. */
export interface LoadGenerator {
  name: string;
  /** Whether it waits for the responses to the last requests it sends. */
  waits: boolean;
  /** @param workDir for the files it needs */
  run(load: ClosedLoad, workDir: string): Promise<LoadResult>;
}

const execute = promisify(execFile);

const WRK: LoadGenerator = { name: 'wrk', waits: false, run: runWrk };
export const NODE: LoadGenerator = { name: 'node', waits: true, run: runNode };

/** The one asked for; by default wrk where it is installed, which costs a server on the same machine the least. */
export async function findLoadGenerator(name?: string): Promise<LoadGenerator> {
  const named = [WRK, NODE].find((generator) => generator.name === name);
  if (name !== undefined && !named) throw new Error(`${name} is not a load generator: wrk or node`);
  if (named === NODE) return NODE;
  // Without arguments it shows its usage and fails: only ENOENT means that it is missing.
  const installed = await execute('wrk').then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  if (named && !installed) throw new Error(`${name} is not installed`);
  return installed ? WRK : NODE;
}

/** Stands between the requests of a file. */
const NEXT_REQUEST = '\u0001';

async function runWrk(load: ClosedLoad, workDir: string): Promise<LoadResult> {
  const { url, requests, distinct = 0, run = newRun(), connections, seconds, status } = load;
  const script = join(import.meta.dirname, 'wrk.lua');
  const file = join(workDir, 'requests');
  await writeFile(file, requests.join(NEXT_REQUEST));
  const { stdout } = await execute('wrk', [
    ...['--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`, '--timeout', '10s'],
    ...['--script', script, url, '--', file, NEXT_REQUEST, MARK, run, `${status}`, `${distinct}`],
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

async function runNode({ requests, status, connections, ...load }: ClosedLoad): Promise<LoadResult> {
  const { all } = await startLoad({ ...load, streams: { all: { requests, status, connections } } }).result;
  const answered = all.times.length;
  const errors = sum(Object.values(all.others));
  const [p50 = 0, p99 = 0, max = 0] = [0.5, 0.99, 1].map((share) => percentile(all.times, share));
  return { answered, errors, perSecond: answered / all.seconds, p50, p99, max };
}
