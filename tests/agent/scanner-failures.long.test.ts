import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launcherFailure, scannerFailure, scannerName } from '../../agent/scanner/exit-codes.ts';
import { missingTarget } from '../../agent/scanner/targets.ts';
import { writeReport } from '../support/agent/agent.ts';
import { type AgentSuite, useAgentProject } from '../support/agent/agent-project.ts';
import { startHostileService } from '../support/hostile/service.ts';

/* A scanner that fails must never look like a scanner that finds nothing. */

let { workspace, agent, scans, findings }: AgentSuite = {} as AgentSuite;

useAgentProject((suite) => {
  ({ workspace, agent, scans, findings } = suite);
});

const SYNTAX_ERROR = { filename: 'src/broken.py', reason: 'syntax error while parsing AST from file' };

/** Writes a Bandit report with findings and errors. @returns its path */
function bandit(count: number, errors: object[] = [], name = 'report.json'): string {
  const content = JSON.parse(readFileSync(writeReport(workspace, count), 'utf8'));
  const path = join(workspace, name);
  writeFileSync(path, JSON.stringify({ ...content, errors }));
  return path;
}

/** A scanner of this name that prints a file and ends with a code. @returns its path */
function scanner(name: string, report: string | undefined, code: number, stderr = ''): string {
  mkdirSync(join(workspace, 'bin'), { recursive: true });
  const path = join(workspace, 'bin', name);
  const print = report === undefined ? '' : `cat '${report}'\n`;
  writeFileSync(path, `#!/bin/sh\n${print}printf '%s\\n' '${stderr}' >&2\nexit ${code}\n`);
  chmodSync(path, 0o755);
  return path;
}

const lastScan = async () => (await scans())[0];

describe('svc-agent run', () => {
  it.each([
    ['an error', 0, 4, 'failed'],
    ['an error and findings', 2, 4, 'completed'],
  ] as const)('with %s in the report exits with 4', async (_, count, code, status) => {
    const run = await agent(['run', '--', scanner('bandit', bandit(count, [SYNTAX_ERROR]), 0)]);
    expect(run.code).toBe(code);
    expect(run.err).toMatch(/^warning: incomplete: .*src\/broken\.py was not checked: syntax error/m);
    expect(await lastScan()).toMatchObject({
      status,
      error_message: expect.stringContaining('src/broken.py was not checked'),
      finding_count: count,
    });
  });

  it.each([0, 2])('accepts errors with --allow-scanner-errors: %i findings', async (count) => {
    const command = scanner('bandit', bandit(count, [SYNTAX_ERROR]), 0);
    const run = await agent(['run', '--allow-scanner-errors', '--', command]);
    expect([run.code, run.err]).toEqual([0, expect.stringContaining('broken.py was not checked')]);
    expect(await lastScan()).toMatchObject({
      status: 'completed',
      error_message: expect.stringContaining('broken.py'),
    });
  });

  it.each([
    ['bandit', 0, 0, 0],
    ['bandit', 1, 2, 0],
    ['bandit', 1, 0, 4],
    ['bandit', 2, 2, 4],
    ['semgrep', 7, 2, 4],
    ['semgrep', 7, 0, 4],
    ['own-scanner', 9, 2, 0],
    ['own-scanner', 9, 0, 4],
  ])('of %s with the exit code %i and %i findings exits with %i', async (name, code, count, expected) => {
    const run = await agent(['run', '--', scanner(name, bandit(count), code)]);
    expect(run.code).toBe(expected);
    const scan = await lastScan();
    expect(scan.status).toBe(expected === 4 && count === 0 ? 'failed' : 'completed');
    if (expected === 4) expect(scan.error_message).toContain(`${name} failed (exit code ${code})`);
    else expect(scan.error_message).toBeFalsy();
    expect(await findings()).toHaveLength(count);
  });

  it.each([
    ['gitleaks', 0, 0, 'fatal: not a git repository (or any parent)', 'not a git repository'],
    [
      'gosec',
      2,
      1,
      'Error building the SSA representation of the package main: package main has type errors',
      'some of the code does not compile',
    ],
    [
      'checkov',
      2,
      1,
      'Passed checks: 0, Failed checks: 2, Skipped checks: 0, Parsing errors: 1',
      'some files cannot be parsed',
    ],
  ])('recognizes that %s says only in words that it failed', async (name, count, code, words, reason) => {
    // Much output follows, as of a scanner that goes on with the next package.
    const more = 'Checking file\n'.repeat(2_000);
    const command = scanner(name, bandit(count), code, `${words}\n${more}`);
    expect((await agent(['run', '--quiet', '--', command])).code).toBe(4);
    expect(await lastScan()).toMatchObject({
      status: count > 0 ? 'completed' : 'failed',
      error_message: `${name} failed: ${reason}`,
    });
  });

  it('does not repeat in words what the report says', async () => {
    const words = 'Error building the SSA representation of the package main';
    await agent(['run', '--', scanner('gosec', bandit(1, [SYNTAX_ERROR]), 1, words)]);
    expect((await lastScan()).error_message).not.toContain('compile');
  });

  it('fails if a target does not exist and the scanner does not say so', async () => {
    const command = scanner('detect-secrets', bandit(0), 0);
    expect((await agent(['run', '--', command, 'scan', '--all-files', 'no'])).code).toBe(4);
    expect((await lastScan()).error_message).toBe('detect-secrets failed: no does not exist');
    expect((await agent(['run', '--', command, 'scan', '--all-files', '.'])).code).toBe(0);
  });

  it('warns about gosec -quiet, and about rules and SARIF with which it hides errors', async () => {
    const sarif = await agent([
      'run',
      '--',
      scanner('gosec', bandit(1), 1),
      '-fmt=sarif',
      '-include',
      'G401',
    ]);
    expect(sarif.err).toMatch(/^warning: gosec does not report code .* in SARIF\. Use -fmt json\.$/m);
    const full = await agent(['run', '--', scanner('gosec', bandit(1), 1), '-fmt', 'sarif', './...']);
    expect(full.err).not.toContain('warning:');
    const run = await agent(['run', '--', scanner('gosec', bandit(1), 1), '-quiet', './...']);
    expect([run.code, run.err]).toEqual([0, expect.stringMatching(/^warning: gosec -quiet prints nothing/m)]);
    const nothing = await agent(['run', '--', scanner('gosec', undefined, 0), '-quiet', './...']);
    expect([nothing.code, nothing.err]).toEqual([4, expect.stringMatching(/\. gosec -quiet prints nothing/)]);
  });

  it.each([
    ['prints nothing', '', 0],
    ['prints nothing with an error', '', 2],
    ['prints a report that is broken off', '{"results": [', 1],
  ])('exits with 4 if the scanner %s, also with --allow-scanner-errors', async (_, text, code) => {
    const report = join(workspace, 'partial.json');
    writeFileSync(report, text);
    const command = scanner('bandit', report, code);
    for (const flags of [[], ['--allow-scanner-errors'], ['--dry-run']]) {
      const run = await agent(['run', ...flags, '--', command]);
      expect([run.code, run.out]).toEqual([4, '']);
    }
    expect((await scans()).map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed']);
  });

  it('exits with 4 if the scanner is killed', async () => {
    const run = await agent(['run', '--', 'sh', '-c', `cat ${bandit(2)}; kill -9 $$`]);
    expect([run.code, run.err]).toEqual([4, expect.stringContaining('was terminated by SIGKILL')]);
    expect(await lastScan()).toMatchObject({ status: 'failed' });
  });

  it('lets a blocking finding take precedence, but not an undelivered one', async () => {
    const command = scanner('bandit', bandit(1, [SYNTAX_ERROR]), 1);
    expect((await agent(['run', '--fail-on', 'medium', '--', command])).code).toBe(2);
    expect((await agent(['run', '--fail-on', 'high', '--', command])).code).toBe(4);
    // The connection is closed, and nothing is delivered.
    const down = await startHostileService((_, response) => response.destroy());
    const env = { SVC_BASE_URL: down.url };
    const undelivered = await agent(['run', '--', command], env);
    expect([undelivered.code, undelivered.err]).toEqual([4, expect.stringContaining('not delivered')]);
    expect((await agent(['run', '--allow-scanner-errors', '--', command], env)).code).toBe(3);
    expect((await agent(['run', '--dry-run', '--', command])).code).toBe(4);
    expect((await agent(['run', '--dry-run', '--allow-scanner-errors', '--', command])).code).toBe(0);
  }, 60_000);
});

describe('svc-agent report', () => {
  it('exits with 4 if one of several reports contains errors', async () => {
    const [good, bad] = [bandit(2, [], 'good.json'), bandit(0, [SYNTAX_ERROR], 'bad.json')];
    const run = await agent(['report', good, bad, '--json']);
    expect(run.code).toBe(4);
    expect(JSON.parse(run.out)).toMatchObject({
      total: 2,
      errors: [expect.stringMatching(/bad\.json: src\/broken\.py was not checked/)],
      warnings: [],
      skipped: {},
    });
    expect(await lastScan()).toMatchObject({ status: 'completed', finding_count: 2 });
    expect((await agent(['report', bad])).code).toBe(4);
    expect(await lastScan()).toMatchObject({ status: 'failed' });
    expect((await agent(['report', good, bad, '--allow-scanner-errors'])).code).toBe(0);
  });

  it('counts results that are skipped', async () => {
    const report = bandit(1);
    const content = JSON.parse(readFileSync(report, 'utf8'));
    writeFileSync(report, JSON.stringify({ ...content, results: [...content.results, ...content.results] }));
    const run = await agent(['report', report]);
    expect([run.code, run.err]).toEqual([
      0,
      expect.stringContaining('1 result was skipped: the report contains them twice\n'),
    ]);
    expect(JSON.parse((await agent(['report', report, '--json'])).out).skipped).toEqual({
      'the report contains them twice': 1,
    });
  });

  it('prints and stores a limited number of short errors', async () => {
    const errors = Array.from({ length: 5_000 }, (_, i) => ({
      filename: `${i}.py`,
      reason: 'x'.repeat(2_000),
    }));
    const run = await agent(['report', bandit(1, errors), '--json']);
    expect(run.err.split('\n').length).toBeLessThan(20);
    expect(run.err).toContain('4991 more');
    expect(run.out.length).toBeLessThan(100_000);
    expect((await lastScan()).error_message.length).toBeLessThan(10_000);
  });

  it('completes the scan at a service that accepts no message for a completed scan', async () => {
    const bodies: string[] = [];
    const service = await startHostileService(({ method, path, body }, response) => {
      const refuses = method === 'PATCH' && body.includes('error_message');
      if (method === 'PATCH') bodies.push(body);
      response.writeHead(refuses ? 400 : 201, { 'content-type': 'application/json' });
      const error = { type: 'validation_error', code: 'invalid_request', ref: 'E50001', message: 'No.' };
      const result = { id: '019b0000-0000-7000-8000-000000000001', project_id: 'x', status: 'open', path };
      response.end(
        JSON.stringify(
          refuses
            ? { success: false, request_id: 'req_0', errors: [error] }
            : { success: true, request_id: 'req_0', result },
        ),
      );
    });
    const report = bandit(1, [SYNTAX_ERROR]);
    const run = await agent(['report', report], { SVC_BASE_URL: service.url });
    expect(run.code).toBe(4);
    expect(bodies).toEqual([expect.stringContaining('broken.py'), '{"status":"completed"}']);
  });

  it('sends previous fingerprints, also from the journal', async () => {
    const down = await startHostileService((_, response) => response.writeHead(401).end('{}'));
    const args = ['report', bandit(1), '--migrate-fingerprints'];
    expect((await agent(args, { SVC_BASE_URL: down.url })).code).toBe(1);
    const [journal = ''] = readdirSync(join(workspace, '.svc/scans')).filter((name) => /\.jsonl$/.test(name));
    expect(readFileSync(join(workspace, '.svc/scans', journal), 'utf8')).toContain(
      '"previous_fingerprints":["bandit:',
    );
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(1);
  });
});

describe('the exit code of a scanner', () => {
  it.each([
    [['semgrep', 'scan'], 'semgrep'],
    [['/usr/local/bin/Semgrep.exe'], 'semgrep'],
    [['python3', '-m', 'bandit', '-r', '.'], 'bandit'],
    [['docker', 'run', '--rm', 'semgrep/semgrep:1.100', 'semgrep', 'scan'], 'semgrep'],
    [['npx', '--yes', 'eslint@9', '.'], 'eslint'],
    [['zap-baseline.py', '-t', 'x'], 'zap-baseline'],
    [['./scan.sh', 'bandit'], 'scan'],
    [['docker', 'run', 'constructor'], 'docker'],
    [[], ''],
  ])('of %j is that of %s', (command, name) => expect(scannerName(command)).toBe(name));

  it.each([
    ['semgrep', 1, 1, 0, false],
    ['semgrep', 2, 5, 0, true],
    ['eslint', 1, 0, 3, false],
    ['eslint', 2, 0, 0, true],
    ['gosec', 1, 0, 0, true],
    ['govulncheck', 3, 4, 0, false],
    ['govulncheck', 1, 4, 0, true],
    ['osv-scanner', 128, 0, 0, true],
    ['snyk', 3, 0, 0, true],
    ['toString', 1, 1, 0, false],
    ['gosec', 137, 5, 0, true],
    ['semgrep', 124, 5, 0, true],
    ['testssl', 160, 5, 0, false],
  ])('%s %i with %i findings and %i skipped: failed is %s', (name, code, count, skipped, failed) => {
    const result = { command: [name], code, hasSign: false, findings: count, skipped, errors: 0 };
    expect(scannerFailure(result) !== undefined).toBe(failed);
  });
});

describe('the exit code of a program that starts a scanner', () => {
  it.each([
    [['sh', '-c', 'semgrep'], 126, 'it is not executable'],
    [['docker', 'run', 'x'], 125, 'it was not started'],
    [['gitleaks', 'dir', '--nonsense'], 126, undefined],
    [['osv-scanner'], 127, undefined],
    [['semgrep'], 1, undefined],
  ])('of %j, %i: %s', (command, code, reason) => expect(launcherFailure(command, code)).toBe(reason));
});

describe('a target that does not exist', () => {
  it.each([
    [['detect-secrets', 'scan', 'src', 'no'], 'no'],
    [['detect-secrets', 'scan', '--all-files', 'no'], 'no'],
    [['python3', '-m', 'detect-secrets', 'scan', '--slim', 'no'], 'no'],
    [['detect-secrets', 'scan', '--exclude-files', 'no', 'src'], undefined],
    [['detect-secrets', 'scan'], undefined],
    [['bandit', '-r', 'no'], undefined],
  ])('of %j: %s', (command, missing) => {
    mkdirSync(join(workspace, 'src'));
    const failure = missing && `detect-secrets failed: ${missing} does not exist`;
    expect(missingTarget(command, workspace)).toBe(failure);
  });
});
