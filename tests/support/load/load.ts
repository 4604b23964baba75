import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Requests to send over and over. */
export interface Load {
  origin: string;
  /** Whole requests, head and body, sent in turns. {@link MARK} stands for a text that is new in each. */
  requests: readonly string[];
  /** So many different texts take the mark's place, again and again; unset, no two are the same. */
  distinct?: number | undefined;
  /** Eight characters, part of the texts: those of two runs differ. */
  run: string;
  connections: number;
  seconds: number;
  /** The status that every response has to have. */
  status: number;
  /** Priority of the process that sends, where Node does; unset: as any. */
  nice?: number;
}

/** What came of a load; times in milliseconds. */
export interface LoadResult {
  /** Responses with the status asked for. */
  answered: number;
  /** Other responses, and connections that broke. */
  errors: number;
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
}

/** Sends loads, from a process of its own. */
export interface LoadGenerator {
  name: string;
  /** Whether it hears the answers to the last requests it sends. */
  waits: boolean;
  /** @param workDir for what it has to hand over in files */
  run(load: Load, workDir: string): Promise<LoadResult>;
}

/** As long as the text that takes its place, so that the length of the body stays true. */
export const MARK = '#'.repeat(36);

/** Stands between the requests of a file. */
export const NEXT_REQUEST = '\u0001';

const execute = promisify(execFile);

const WRK: LoadGenerator = { name: 'wrk', waits: false, run: runWrk };
const NODE: LoadGenerator = { name: 'node', waits: true, run: runNode };

/** The one asked for; else wrk where it is installed, which takes the least from a server on the same machine. */
export async function findLoadGenerator(name?: string): Promise<LoadGenerator> {
  const named = [WRK, NODE].find((generator) => generator.name === name);
  if (name !== undefined && !named) throw new Error(`${name} is not a load generator: wrk or node`);
  if (named === NODE) return NODE;
  // Without arguments it shows its usage and fails: only ENOENT means something.
  const installed = await execute('wrk').then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  if (named && !installed) throw new Error(`${name} is not installed`);
  return installed ? WRK : NODE;
}

async function runWrk(load: Load, workDir: string): Promise<LoadResult> {
  const { origin, requests, distinct, run, connections, seconds, status } = load;
  const script = join(import.meta.dirname, 'wrk.lua');
  const file = join(workDir, 'requests');
  await writeFile(file, requests.join(NEXT_REQUEST));
  const { stdout } = await execute('wrk', [
    ...['--threads', '1', '--connections', `${connections}`, '--duration', `${seconds}s`, '--timeout', '10s'],
    ...['--script', script, origin, '--', file, NEXT_REQUEST, MARK, run, `${status}`, `${distinct ?? 0}`],
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

async function runNode(load: Load): Promise<LoadResult> {
  const child = fork(join(import.meta.dirname, 'load-process.ts'));
  child.send(load);
  const [result] = await once(child, 'message');
  return result as LoadResult;
}
