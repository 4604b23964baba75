import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const USAGE = pathToFileURL(join(import.meta.dirname, 'usage-at-exit.mjs')).href;

export interface AgentUsage {
  seconds: number;
  /** Seconds of the processor. */
  cpu: number;
  /** The most resident memory, in MiB. */
  memory: number;
  code: number | null;
  out: string;
}

export interface AgentRunOptions {
  /** The built agent. */
  agent: string;
  /** Where the workspace of the run is made and removed. */
  workDir: string;
  env: Record<string, string>;
  /** Writes a CPU profile into this directory. */
  profileDir?: string | undefined;
}

/** Runs the built svc-agent in a workspace of its own and measures the process. */
export async function runMeasured(
  args: readonly string[],
  { agent, workDir, env, profileDir }: AgentRunOptions,
): Promise<AgentUsage> {
  const cwd = await mkdtemp(join(workDir, 'agent-'));
  const usageFile = join(cwd, 'usage.json');
  const profile = profileDir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileDir];
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', USAGE, ...profile, agent, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, USAGE_FILE: usageFile, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - began) / 1_000;
  const { cpu, memory } = JSON.parse(await readFile(usageFile, 'utf8'));
  await rm(cwd, { recursive: true });
  return { seconds, cpu, memory, code, out };
}
