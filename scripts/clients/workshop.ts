import { spawn } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../../tests/support/scenario/site.ts';

/** No step of a client takes as long, downloads included. */
const MAX_MS = 10 * 60_000;
const MAX_OUTPUT = 4_000;

/** A program that a generator or its language needs is not installed. */
export class MissingToolchain extends Error {}

export interface Workshop {
  site: Site;
  /** The directory of this client. */
  dir: string;
  /** The API's description. */
  yaml: string;
  json: string;
  /** Variables that a scenario reads from its environment. */
  env: Record<string, string>;
  /** Runs a command in `dir`. @throws Error with the end of its output */
  run(command: string, args: readonly string[], env?: Record<string, string>): Promise<void>;
  /** @throws MissingToolchain unless `command` works */
  need(command: string, ...args: string[]): Promise<void>;
  /** Copies the scenario of a language. */
  scenario(file: string, to: string): Promise<void>;
}

export function workshop(given: Pick<Workshop, 'site' | 'dir' | 'yaml' | 'json' | 'env'>): Workshop {
  const { site, dir } = given;
  const running = new Set<() => void>();
  site.onClose(async () => {
    for (const kill of running) kill();
  });

  function run(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      // A group, so that the processes of Maven and Go end with them.
      const child = spawn(command, args, {
        cwd: dir,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      let output = '';
      const collect = (data: Buffer) => {
        output = (output + data).slice(-MAX_OUTPUT);
      };
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      const kill = () => child.pid && process.kill(-child.pid, 'SIGKILL');
      running.add(kill);
      const timer = setTimeout(kill, MAX_MS);
      const settle = (error?: Error) => {
        clearTimeout(timer);
        running.delete(kill);
        if (error) reject(error);
        else resolve();
      };
      child.once('error', settle);
      child.once('close', (code, signal) =>
        settle(
          code === 0
            ? undefined
            : new Error(`${command} ${args[0]} ended with ${code ?? signal}:\n${output}`),
        ),
      );
    });
  }

  return {
    ...given,
    run,
    need: (command, ...args) =>
      run(command, args).catch(() => {
        throw new MissingToolchain(`${command} is not installed`);
      }),
    scenario: (file, to) => copyFile(join(site.root, 'scripts/clients/scenarios', file), join(dir, to)),
  };
}
