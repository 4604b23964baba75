import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentProject, createAgentProject, startService } from '../support/agent/agent-project.ts';
import { must, type TestOrg } from '../support/api/api.ts';
import { programPath } from '../support/importers/edits/scanners.ts';
import { limit } from '../support/run/limits.ts';
import { startAdvisoryService } from '../support/scanners/advisories.ts';
import { REAL_SCANNERS } from '../support/scanners/index.ts';
import {
  type Call,
  type Failure,
  type Files,
  type Found,
  NOWHERE,
  type RealScanner,
} from '../support/scanners/scanner.ts';
import type { RunningServer } from '../support/server/server.ts';

/*
 * Runs real scanners end to end, with their failures. A scanner is skipped if it is neither on the PATH nor in the directories
 * of SVC_TEST_SCANNERS.
 */

const TIMEOUT_MS = limit(180_000);
const SARIF_FORMATTER = '@microsoft/eslint-formatter-sarif';

let server: RunningServer;
let org: TestOrg;
let osv: string;

beforeAll(async () => {
  ({ server, org } = await startService());
  osv = await startAdvisoryService();
});

/** The directory of a program, and why it cannot run. */
function find({ program, needs = [] }: RealScanner): { path?: string; missing?: string } {
  const missing = [program, ...needs].find((name) => programPath(name) === undefined);
  const path = programPath(program);
  return { ...(path && { path }), ...(missing !== undefined && { missing }) };
}

/** The formatter that writes SARIF for ESLint; undefined if it is not installed. */
function sarifFormatter(program: string): string | undefined {
  try {
    return createRequire(realpathSync(program)).resolve(SARIF_FORMATTER);
  } catch {
    return undefined;
  }
}

interface Run {
  code: number | null;
  err: string;
  /** The output of `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  result: any;
}

/** A project with the code of a scanner. `run` calls the scanner through the agent. */
async function open(scanner: RealScanner) {
  const project: AgentProject = await createAgentProject(server, org);
  const { workspace } = project;
  write(workspace, scanner.code);
  const path = find(scanner).path ?? '';
  const env = {
    PATH: [dirname(path), process.env.SVC_TEST_SCANNERS, process.env.PATH].filter(Boolean).join(delimiter),
    HOME: process.env.HOME,
    XDG_CONFIG_HOME: workspace,
    // No scanner needs a network.
    HTTPS_PROXY: NOWHERE,
    https_proxy: NOWHERE,
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    ...scanner.env,
  };
  const expand = (arg: string) =>
    arg
      .replace('{osv}', osv)
      .replace('{workspace}', realpathSync(workspace))
      .replace('{sarif-formatter}', () => sarifFormatter(path) ?? '');
  const run = async ({ args, report }: Call, ...flags: string[]): Promise<Run> => {
    const target = report === undefined ? [] : ['--report', report];
    const command = [scanner.program, ...args.map(expand)];
    const { code, out, err } = await project.agentProcess(
      ['run', '--json', ...target, ...flags, '--', ...command],
      env,
    );
    return { code, err, result: out === '' ? undefined : JSON.parse(out) };
  };
  return { ...project, run };
}

function write(directory: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

const like = ({ title, ...fields }: Found) =>
  expect.objectContaining({ ...fields, title: expect.stringMatching(title) });

const setStatus = async (id: string, status: 'false_positive') =>
  must(await server.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));

/** The row of the summary in Markdown, without the column of the total. */
const totalsIn = (summary: string, row: string) =>
  new RegExp(`^\\| ${row} \\| (\\d+) \\|`, 'm').exec(summary)?.[1];

describe.concurrent.each(REAL_SCANNERS)('$program', (scanner) => {
  const { path, missing } = find(scanner);
  const { found, failures, remarks = [], others = [], added } = scanner;
  if (missing !== undefined) {
    it.skip(`is not tested: ${missing} is not installed`);
    return;
  }
  const [first] = found as [Found];
  const isCallable = ({ args = [] }: Partial<Call>) =>
    !args.includes('{sarif-formatter}') || sarifFormatter(path ?? '') !== undefined;

  it(
    'reports findings, finds them again, and passes no decision on to another problem',
    async () => {
      const { workspace, run, findings, scans } = await open(scanner);
      const summary = () => readFileSync(join(workspace, 'summary.md'), 'utf8');

      const initial = await run(scanner, '--commit', 'a', '--fail-on', 'critical', '--summary', 'summary.md');
      expect(initial).toMatchObject({ code: 0, result: { new: found.length, seen_again: 0, errors: [] } });
      const stored = await findings();
      expect(stored).toEqual(expect.arrayContaining(found.map(like)));
      expect(stored).toHaveLength(found.length);
      const [scan] = await scans();
      expect(scan).toMatchObject({ status: 'completed', finding_count: found.length });
      expect(scan.error_message).toBeFalsy();
      expect(totalsIn(summary(), 'new')).toBe(`${found.length}`);

      const again = await run(
        scanner,
        ...['--commit', 'b', '--fail-on', first.severity, '--fail-on-new', 'info'],
      );
      expect(again).toMatchObject({
        code: 2,
        result: { new: 0, seen_again: found.length, gone: 0, failing_new: 0 },
      });

      const decided = stored.find(
        ({ title, file, line }) =>
          first.title.test(title) && file === first.file && (first.line === undefined || line === first.line),
      );
      await setStatus(decided.id, 'false_positive');
      write(workspace, scanner.edited);
      const edited = await run(
        scanner,
        ...['--commit', 'c', '--fail-on-new', first.severity, '--summary', 'summary.md'],
      );
      expect(edited).toMatchObject({ code: 2, result: { new: 1, failing_new: 1, gone: 1, errors: [] } });
      expect(totalsIn(summary().slice(summary().lastIndexOf('## ')), 'new')).toBe('1');
      const after = await findings();
      const [fresh, ...more] = after.filter(({ id }) => stored.every((known) => known.id !== id));
      expect([fresh, ...more]).toEqual([like(added)]);
      expect(fresh.status).toBe('open');
      expect(after.find(({ id }) => id === decided.id).status).toBe('false_positive');
    },
    TIMEOUT_MS,
  );

  it(
    'completes the scan of code without problems',
    async () => {
      const { workspace, run, findings, scans } = await open(scanner);
      write(workspace, scanner.clean);
      const { code, err, result } = await run(scanner, '--fail-on', 'info');
      expect([code, err]).toEqual([0, expect.not.stringContaining('warning:')]);
      expect(result).toMatchObject({ total: 0, errors: [], warnings: [] });
      expect(await findings()).toEqual([]);
      expect((await scans())[0]).toMatchObject({ status: 'completed', finding_count: 0 });
    },
    TIMEOUT_MS,
  );

  it.for(others)('reports the places in $name', { timeout: TIMEOUT_MS }, async (other, context) => {
    if (!isCallable(other)) context.skip(`${SARIF_FORMATTER} is not installed`);
    const { run, findings } = await open(scanner);
    expect(await run(other)).toMatchObject({ code: 0, result: { new: found.length, errors: [] } });
    const places = (other.places ?? found).map(({ file, line, severity }) =>
      expect.objectContaining({ file, severity, ...(line !== undefined && { line }) }),
    );
    expect(await findings()).toEqual(expect.arrayContaining(places));
    const again = await run(other);
    expect(again).toMatchObject({ code: 0, result: { new: 0, seen_again: found.length, gone: 0 } });
  });

  it.for(remarks)('warns of $of', { timeout: TIMEOUT_MS }, async ({ files, message }) => {
    const { workspace, run, findings } = await open(scanner);
    write(workspace, files);
    const { code, result } = await run(scanner);
    expect([code, result.errors]).toEqual([0, []]);
    expect(result.warnings).toEqual([expect.stringMatching(message)]);
    expect(await findings()).toHaveLength(found.length);
  });

  it.for<Failure>(failures)('does not hide $of', { timeout: TIMEOUT_MS }, async (failure, context) => {
    if (!isCallable(failure)) context.skip(`${SARIF_FORMATTER} is not installed`);
    const { workspace, run, findings, scans } = await open(scanner);
    write(workspace, failure.files ?? {});
    const { findings: count = 0, message } = failure;
    const { code, err } = await run({ args: failure.args ?? scanner.args, ...reportOf(failure, scanner) });
    expect([code, err]).toEqual([4, expect.any(String)]);
    expect(await findings()).toHaveLength(count);
    expect((await scans())[0]).toMatchObject({
      status: count > 0 ? 'completed' : 'failed',
      error_message: expect.stringMatching(message),
      finding_count: count,
    });
  });
});

/** The file of a failing call: as for other calls, unless its arguments are different. */
function reportOf(failure: Failure, scanner: RealScanner): Pick<Call, 'report'> {
  const report = failure.args ? failure.report : scanner.report;
  return report === undefined ? {} : { report };
}
