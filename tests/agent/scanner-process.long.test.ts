import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startAgent, writeReport } from '../support/agent/agent.ts';
import { type AgentSuite, isRunning, readPid, useAgentProject } from '../support/agent/agent-project.ts';
import { limit } from '../support/run/limits.ts';
import { afterTest } from '../support/run/suite.ts';

/* The process of a scanner: how it starts, ends and is stopped, and what it leaves behind. */

let { workspace, env, agent, scans, findings }: AgentSuite = {} as AgentSuite;

useAgentProject((suite) => {
  ({ workspace, env, agent, scans, findings } = suite);
});

const shell = (script: string) => ['--', 'sh', '-c', script];

describe('a scanner that cannot start', () => {
  it.each([
    [['no-such-scanner', '--json'], 'no-such-scanner: not found. Is it installed and on the PATH?'],
    [['semgrep scan --json'], 'semgrep scan --json: not found. Do not put the whole command in quotes.'],
    [['./report.json'], './report.json: permission denied. Is it an executable file?'],
  ])('%j fails the scan and says why', async (command, message) => {
    writeReport(workspace, 1);
    const run = await agent(['run', '--', ...command]);
    expect([run.code, run.err]).toEqual([1, `svc-agent: ${message}\n`]);
    expect((await scans())[0]).toMatchObject({ status: 'failed', error_message: message });
  });
});

describe('wrong input of users', () => {
  it('a workspace that does not exist is neither created nor scanned', async () => {
    const run = await agent(['run', '--workspace', 'scr', ...shell('echo []')]);
    expect([run.code, run.err]).toEqual([
      1,
      expect.stringMatching(/^svc-agent: --workspace: .*scr is not a directory\n$/),
    ]);
    expect(existsSync(join(workspace, 'scr'))).toBe(false);
    expect(await scans()).toEqual([]);
  });

  it.each([
    ['Semgrep', 0, ''],
    ['burp suite', 1, /Did you mean burp\?\n$/],
    ['npm', 1, /Did you mean npm-audit, pnpm-audit\?\n$/],
    ['nonsense', 1, /--help lists the formats\.\n$/],
  ])('the format %s', async (format, code, message) => {
    writeFileSync(join(workspace, 'empty.json'), '{"results":[],"errors":[]}');
    const run = await agent(['report', '--quiet', '--format', format, 'empty.json']);
    expect([run.code, run.err]).toEqual([code, expect.stringMatching(message)]);
  });

  it('the formats are in the help', async () => {
    expect((await agent(['report', '--help'])).out).toMatch(/^Formats: acunetix, .*, zap$/m);
  });

  it('a scanner without `run`', async () => {
    const run = await agent(['semgrep', 'scan', '--json']);
    expect([run.code, run.err]).toEqual([
      1,
      "error: unknown command 'semgrep'\nTo run a scanner: svc-agent run -- <command>\n",
    ]);
  });
});

describe('a scanner that writes no report', () => {
  it.each([
    [
      ['sh', '-c', 'exit 2', 'sh', '--fail-on=high'],
      'sh wrote no report (exit code 2). Write --fail-on before the command of the scanner.',
    ],
    [
      ['sh', '-c', 'exit 1', 'sh', '--report-path', 'leaks.json'],
      'sh wrote no report (exit code 1). If it writes its report to a file, name the file with --report before the command.',
    ],
    [['sh', '-c', 'exit 3'], 'sh wrote no report (exit code 3)'],
    [['sh', '-c', 'exit 127'], 'sh wrote no report (exit code 127: a program was not found)'],
  ])('%j: advice about options', async (command, message) => {
    const run = await agent(['run', '--', ...command]);
    expect([run.code, run.err]).toEqual([4, `svc-agent: ${message}\n`]);
  });

  it('says where the agent reads the report', async () => {
    const run = await agent(['run', '--report', 'out.json', ...shell(`cat '${writeReport(workspace, 1)}'`)]);
    expect(run.code).toBe(4);
    expect(run.err).toMatch(
      /out\.json \(exit code 0\)\. .*Without --report, the agent reads its standard output\.$/m,
    );
  });
});

describe('a scanner behind another program', () => {
  it.each([
    [137, 'terminated by SIGKILL'],
    [139, 'terminated by SIGSEGV'],
    [124, 'it took too long'],
    [127, 'a program was not found'],
  ])('that ends with code %i failed, although its report has findings', async (code, reason) => {
    const run = await agent(['run', ...shell(`cat '${writeReport(workspace, 2)}'; exit ${code}`)]);
    expect(run.code).toBe(4);
    const [scan] = await scans();
    expect(scan.error_message).toBe(`sh failed (exit code ${code}: ${reason})`);
    expect(await findings()).toHaveLength(2);
  });
});

describe('a process that a scanner leaves running', () => {
  it('does not keep the agent waiting', async () => {
    const pidFile = join(workspace, 'pid');
    const report = writeReport(workspace, 2);
    const script = `sleep 600 & echo $! > ${pidFile}; cat '${report}'`;
    afterTest(async () => process.kill(await readPid(pidFile)));
    const started = Date.now();
    const run = await agent(['run', ...shell(script)]);
    expect(Date.now() - started).toBeLessThan(limit(20_000));
    expect([run.code, run.err]).toEqual([
      0,
      expect.stringMatching(/^warning: the scanner left a process running that holds its output/m),
    ]);
    expect(await findings()).toHaveLength(2);
  });

  it('is read for as long as it prints the report', async () => {
    const report = writeReport(workspace, 2);
    const text = readFileSync(report, 'utf8');
    const parts = [0, 1, 2].map((part) => {
      const path = join(workspace, `part-${part}`);
      writeFileSync(path, text.slice((text.length * part) / 3, (text.length * (part + 1)) / 3));
      return `cat ${path}`;
    });
    const run = await agent(['run', ...shell(`(sleep 1; ${parts.join('; sleep 1; ')}) &`)]);
    expect([run.code, run.err]).toEqual([0, expect.not.stringContaining('left a process')]);
    expect(await findings()).toHaveLength(2);
  });
});

describe('a signal', () => {
  /** Ignores SIGTERM and SIGHUP, as some programs do. */
  const stubborn = (pidFile: string) =>
    shell(`trap '' TERM HUP; echo $$ > ${pidFile}; while :; do sleep 1; done`);

  it('SIGHUP of a closed terminal stops the scanner and fails the scan', async () => {
    const pidFile = join(workspace, 'pid');
    const { child, ended } = startAgent(['run', ...stubborn(pidFile)], { cwd: workspace, env });
    const pid = await readPid(pidFile);
    await expect.poll(async () => (await scans())[0]).toMatchObject({ status: 'running' });
    child.kill('SIGHUP');
    expect((await ended).code).toBe(129);
    expect(isRunning(pid)).toBe(false);
    expect((await scans())[0]).toMatchObject({ status: 'failed', error_message: 'terminated by SIGHUP' });
  });

  it('that is sent twice, as npm does, leaves neither the scanner nor the scan running', async () => {
    const pidFile = join(workspace, 'pid');
    const { child, ended } = startAgent(['run', ...stubborn(pidFile)], { cwd: workspace, env });
    const pid = await readPid(pidFile);
    await expect.poll(async () => (await scans())[0]).toMatchObject({ status: 'running' });
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(isRunning(pid)).toBe(false);
    expect((await scans())[0]).toMatchObject({ status: 'failed' });
  });

  it('stops the scanner of a dry run', async () => {
    const pidFile = join(workspace, 'pid');
    const { child, ended } = startAgent(['run', '--dry-run', ...stubborn(pidFile)], { cwd: workspace, env });
    const pid = await readPid(pidFile);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(isRunning(pid)).toBe(false);
  });
});
