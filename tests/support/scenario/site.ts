import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../server/process.ts';

/** Where benchmarks and soak tests run, and what to clean up after them. */
export interface Site {
  /** The checkout. */
  root: string;
  /** A temporary directory, removed at the end. */
  workDir: string;
  /** Registers a function that runs at the end, the last one first, also after a failure or an interrupt. */
  onClose(undo: () => Promise<unknown>): void;
  /** Progress and results, for the terminal. */
  say(text: string): void;
  /** Writes results, with a description of the machine, into the directory for results. @returns the file */
  save(name: string, results: object): Promise<string>;
  close(): Promise<void>;
}

const run = promisify(execFile);

/**
 * Makes the site of one run.
 * @param results the directory for results, below the checkout
 */
export async function openSite(results = 'bench/results'): Promise<Site> {
  const workDir = await mkdtemp(join(tmpdir(), 'svc-findings-'));
  const undos: (() => Promise<unknown>)[] = [() => rm(workDir, { recursive: true, force: true })];
  let closing: Promise<void> | undefined;

  const site: Site = {
    root: ROOT,
    workDir,
    onClose: (undo) => void undos.push(undo),
    say: (text) => void process.stdout.write(`${text}\n`),
    async save(name, given) {
      const time = new Date().toISOString();
      const file = join(ROOT, results, `${name}-${time.replaceAll(/[:.]/g, '-')}.json`);
      await mkdir(join(ROOT, results), { recursive: true });
      const record = { time, machine: await machine(), ...given };
      await writeFile(file, `${JSON.stringify(record, null, 2)}\n`);
      return file;
    },
    close() {
      closing ??= (async () => {
        for (const undo of undos.reverse()) {
          await undo().catch((error) => process.stderr.write(`${(error as Error).message}\n`));
        }
      })();
      return closing;
    },
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // A terminal's Ctrl-C reaches us twice, from the terminal and from npm.
    process.on(signal, () => void site.close().then(() => process.exit(130)));
  }
  return site;
}

async function machine() {
  const commit = await run('git', ['describe', '--always', '--dirty'], { cwd: ROOT }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  const cores = cpus();
  return { cpu: cores[0]?.model, cores: cores.length, node: process.version, commit };
}
