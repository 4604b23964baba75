import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterSuite } from '../run/suite.ts';

const root = resolve(import.meta.dirname, '../../..');
const SCALED_SLEEP = pathToFileURL(join(root, 'tests/fixtures/scaled-sleep.mjs')).href;

/** The state directory of all agents that this process runs or starts, instead of the user's. */
export const STATE_HOME = mkdtempSync(join(tmpdir(), 'svc-agent-state-'));
process.env.XDG_STATE_HOME = STATE_HOME;

/** An empty directory; it is removed after the suite. */
export function createWorkspace(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
  afterSuite(() => {
    for (const each of [dir, STATE_HOME]) rmSync(each, { recursive: true, force: true });
  });
  return dir;
}

/** The result of a run of svc-agent. */
export interface AgentRun {
  code: number | null;
  out: string;
  err: string;
}

export interface RunningAgent {
  child: ChildProcess;
  /** Its output so far. */
  said(): string;
  ended: Promise<AgentRun>;
}

export interface AgentOptions {
  cwd: string;
  env?: Record<string, string | undefined>;
  input?: string;
  /** Its pauses between attempts (1, 2 and 4 s) take so many times as long. */
  sleepFactor?: number;
}

export const AGENT = join(root, 'dist/public/assets/svc-agent.mjs');

/** The environment of an agent in a directory, without this machine's settings. */
export const agentEnv = ({ cwd, env }: Pick<AgentOptions, 'cwd' | 'env'>) => ({
  PATH: process.env.PATH,
  HOME: cwd,
  XDG_STATE_HOME: STATE_HOME,
  ...env,
});

/** Starts the built svc-agent. */
export function startAgent(args: string[], options: AgentOptions): RunningAgent {
  const { cwd, input, sleepFactor } = options;
  const scaled = sleepFactor === undefined ? [] : ['--import', SCALED_SLEEP];
  const child = spawn(process.execPath, [...scaled, AGENT, ...args], {
    cwd,
    env: {
      ...agentEnv(options),
      ...(sleepFactor !== undefined && { TEST_SLEEP_FACTOR: `${sleepFactor}` }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A failed test may leave it running.
  afterSuite(() => child.kill('SIGTERM'));
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (data) => {
    said.out += data;
  });
  child.stderr.setEncoding('utf8').on('data', (data) => {
    said.err += data;
  });
  child.stdin.end(input ?? '');
  return {
    child,
    said: () => said.out + said.err,
    ended: once(child, 'close').then(([code]) => ({ code, ...said })),
  };
}

/** Runs the built svc-agent to its end. See agent-here.ts for one that starts faster. */
export const runAgent = (args: string[], options: AgentOptions): Promise<AgentRun> =>
  startAgent(args, options).ended;

/** Writes a Bandit report with so many findings, and returns its path. */
export function writeReport(dir: string, count: number, fields: (i: number) => object = () => ({})): string {
  const path = join(dir, 'report.json');
  const results = Array.from({ length: count }, (_, i) => ({
    filename: `${dir}/src/file-${i}.py`,
    line_number: i + 1,
    issue_text: `Something is wrong (${i}).`,
    issue_severity: 'MEDIUM',
    test_id: 'B101',
    test_name: 'assert_used',
    code: `${i + 1} assert x${i}`,
    ...fields(i),
  }));
  writeFileSync(
    path,
    JSON.stringify({ errors: [], generated_at: '2026-01-01T00:00:00Z', metrics: {}, results }),
  );
  return path;
}
