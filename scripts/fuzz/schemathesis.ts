import { execFile, spawn } from 'node:child_process';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Site } from '../../tests/support/scenario/site.ts';

const VERSION = '4.32.5';
const LEAST_PYTHON = [3, 10] as const;

const execute = promisify(execFile);

/** Schemathesis cannot be installed: Python is missing, or PyPI cannot be reached. */
export class Unavailable extends Error {}

/**
 * The command `st`, from a virtual environment that is made the first time and kept.
 * @throws Unavailable
 */
export async function installSchemathesis(site: Site): Promise<string> {
  const home = join(site.root, 'node_modules/.cache', `fuzz-venv-${VERSION}`);
  const bin = join(home, process.platform === 'win32' ? 'Scripts' : 'bin');
  const command = join(bin, 'st');
  if (await execute(command, ['--version']).catch(() => undefined)) return command;

  const python = await findPython();
  site.say(`installing Schemathesis ${VERSION} …`);
  await rm(home, { recursive: true, force: true });
  await mkdir(dirname(home), { recursive: true });
  try {
    await execute(python, ['-m', 'venv', home]);
    await execute(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', `schemathesis==${VERSION}`]);
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Unavailable(
      `Schemathesis cannot be installed: ${(stderr || message).trim().split('\n').at(-1)}`,
    );
  }
  return command;
}

async function findPython(): Promise<string> {
  const [major, minor] = LEAST_PYTHON;
  const check = `import sys; sys.exit(sys.version_info < (${major}, ${minor}))`;
  for (const name of ['python3', 'python']) {
    if (await execute(name, ['-c', check]).catch(() => undefined)) return name;
  }
  throw new Unavailable(`Python ${major}.${minor} or newer was not found`);
}

/** The report of Schemathesis on a run. */
export interface Report {
  /** It came to its end. */
  complete: boolean;
  operations: { tested: number } | null;
  test_cases: { generated: number };
  failures: { title: string; count: number; operations: string[] }[];
  errors: { title: string; count: number }[];
}

/** Runs it; @returns its report, and what it said */
export async function runSchemathesis(
  site: Site,
  command: string,
  name: string,
  args: readonly string[],
): Promise<{ report: Report; output: string }> {
  const outputFile = join(site.workDir, `${name}.txt`);
  const reportFile = join(site.workDir, `${name}.json`);
  const output = await open(outputFile, 'w');
  const child = spawn(command, [...args, '--report-json-path', reportFile], {
    cwd: site.workDir,
    env: { PATH: process.env.PATH, HOME: site.workDir, PYTHONUTF8: '1', NO_PROXY: '127.0.0.1' },
    stdio: ['ignore', output.fd, output.fd],
  });
  const over = new Promise<void>((ended, failed) => {
    child.once('exit', () => ended());
    child.once('error', failed);
  });
  site.onClose(async () => {
    child.kill('SIGKILL');
    await over;
  });
  await over;
  await output.close();
  const said = await readFile(outputFile, 'utf8');
  const report = await readFile(reportFile, 'utf8')
    .then((text): Report => JSON.parse(text))
    .catch(() => undefined);
  if (!report) throw new Error(`Schemathesis has ended early:\n${said}`);
  return { report, output: said };
}
