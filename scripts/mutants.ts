import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MUTANTS, type Mutant, SUBJECTS } from './mutants/list.ts';

/*
 * Measures what the tests detect: makes one defect at a time in a copy of the checkout, uncommitted changes included, and runs
 * suites that must then fail. The defects are in mutants/list.ts.
 */

const USAGE = `npm run mutants -- [options]
  --only SUBJECT    only this subject (repeatable): ${SUBJECTS.join(', ')}
  --root CHECKOUT   the checkout whose sources and suites are used (default: this one)
  --verbose         shows the output of each run
`;

const say = (text: string) => process.stdout.write(`${text.trimEnd()}\n`);
const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
const { values: options } = parseArgs({
  options: { only: { ...text, multiple: true }, root: text, verbose: flag, help: flag },
});
const isUnknown = options.only?.some((name) => !SUBJECTS.some((subject) => subject === name));
if (options.help || isUnknown) {
  say(USAGE);
  process.exit(options.help ? 0 : 1);
}

const root = resolve(options.root ?? join(import.meta.dirname, '..'));
const mutants = MUTANTS.filter(({ subject }) => options.only?.includes(subject) ?? true);
const copy = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'svc-mutants-'));
process.on('exit', () => fs.rmSync(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
let running: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

try {
  copyCheckout();
  const problems = mutants.flatMap(problemsOf).join('\n');
  if (problems !== '') throw new Error(problems);
  const suites = [...new Set(mutants.flatMap((mutant) => mutant.suites))];
  const { verdict, seconds, output } = await runSuites(suites);
  if (verdict !== 'SURVIVED') throw new Error(`The suites fail without a defect.\n${output}`);
  say(`${suites.length} suites pass without a defect (${seconds} s)`);
  let killed = 0;
  for (const mutant of mutants) if (await isKilled(mutant)) killed++;
  say(`${killed} of ${mutants.length} killed`);
  process.exitCode = killed === mutants.length ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** The watchdog of the test run ends its workers and servers. The pipe that it holds is closed afterwards. */
function stop(): void {
  if (!running) process.exit(130);
  running.on('close', () => process.exit(130)).kill('SIGKILL');
}

/** Copies the files that git tracks or would track, as they are on disk. */
function copyCheckout(): void {
  // PostgreSQL runs as another user when we are root.
  fs.chmodSync(copy, 0o755);
  const listFiles = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const paths = execFileSync('git', listFiles, { cwd: root, encoding: 'utf8' }).split('\0');
  // A file that was deleted but not committed is still listed.
  for (const path of paths.filter((path) => path !== '' && fs.existsSync(join(root, path))))
    fs.cpSync(join(root, path), join(copy, path));
  fs.symlinkSync(fs.realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'));
}

/** The file of a suite, if there is one. */
function fileOf(suite: string): string | undefined {
  const paths = [`tests/${suite}.test.ts`, `tests/${suite}.long.test.ts`];
  return paths.find((path) => fs.existsSync(join(copy, path)));
}

function problemsOf({ file, from, to, suites }: Mutant): string[] {
  const missing = suites.filter((suite) => !fileOf(suite)).map((suite) => `suite ${suite}`);
  if (!fs.existsSync(join(copy, file))) missing.push(file);
  if (missing.length > 0) return missing.map((name) => `${name} does not exist`);
  const found = fs.readFileSync(join(copy, file), 'utf8').split(from).length - 1;
  return found === 1 && from !== to ? [] : [`${file} contains ${found} times, not once: ${from}`];
}

async function isKilled({ subject, file, from, to, breaks, suites }: Mutant): Promise<boolean> {
  const original = fs.readFileSync(join(copy, file), 'utf8');
  fs.writeFileSync(join(copy, file), original.split(from).join(to));
  const { verdict, seconds, output } = await runSuites(suites);
  fs.writeFileSync(join(copy, file), original);
  say(`${verdict.padEnd(8)} ${`${seconds}`.padStart(3)} s  ${subject.padEnd(9)} ${file}: ${breaks}`);
  if (verdict === 'BROKEN' || options.verbose) say(output);
  return verdict === 'killed';
}

/** Runs suites until a test fails. */
async function runSuites(suites: readonly string[]) {
  const began = performance.now();
  const report = join(copy, 'report.json');
  fs.rmSync(report, { force: true });
  const vitest = [join(copy, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=dot', '--reporter=json'];
  // After a failed build, Vitest waits for PostgreSQL.
  const flags = [`--outputFile.json=${report}`, '--project=!contract', '--bail=1', '--teardownTimeout=10000'];
  // The variable makes the run end when this process is killed, also without npm.
  const env = { npm_lifecycle_event: 'mutants', ...process.env, SVC_TEST_RETRIES: '0' };
  running = spawn(
    process.execPath,
    [...vitest, ...flags, ...suites.flatMap((suite) => fileOf(suite) ?? [])],
    { cwd: copy, env },
  );
  const chunks: string[] = [];
  for (const stream of [running.stdout, running.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve) => running?.on('close', resolve));
  running = undefined;
  const files = fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')).testResults : [];
  const seconds = Math.round((performance.now() - began) / 1000);
  return { verdict: judge(files, code === 0), seconds, output: chunks.join('').slice(-5_000) };
}

type FileResult = { status: string; assertionResults: { status: string }[] };
/** A run that fails without a failed test or hook says nothing about the tests, nor does one without tests. */
function judge(files: FileResult[], isGreen: boolean): 'killed' | 'SURVIVED' | 'BROKEN' {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const hasRun = tests.some(({ status }) => status === 'passed' || status === 'failed');
  const failed = files.filter(({ status }) => status === 'failed');
  // A file without tests could not be loaded.
  if (!hasRun || failed.some(({ assertionResults }) => assertionResults.length === 0)) return 'BROKEN';
  if (failed.length > 0) return 'killed';
  return isGreen ? 'SURVIVED' : 'BROKEN';
}
