import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReporterOptions } from '../../agent/reporter.ts';
import { isLoopback, resolveSettings } from '../../agent/settings.ts';
import { RETRY_DELAYS_S, withRetries } from '../../lib/client/retry.ts';
import { startAgent, writeReport } from '../support/agent/agent.ts';
import { type AgentSuite, isRunning, readPid, useAgentProject } from '../support/agent/agent-project.ts';
import { openGate } from '../support/agent/gate.ts';
import { type FaultyProxy, startProxy } from '../support/agent/proxy.ts';
import { ownFinding, startReporterFor } from '../support/agent/reporter.ts';
import { must } from '../support/api/api.ts';
import { startHostileService } from '../support/hostile/service.ts';
import { limit } from '../support/run/limits.ts';

let { server, org, workspace, env, agent, agentProcess, findings, scans }: AgentSuite = {} as AgentSuite;

useAgentProject((suite) => {
  ({ server, org, workspace, env, agent, agentProcess, findings, scans } = suite);
});

const journals = () => readdirSync(join(workspace, '.svc/scans')).filter((name) => name.endsWith('.jsonl'));

/** A scanner that writes its process id to a file and then runs until it is stopped. */
const endlessScanner = (pidFile: string) => [
  '--',
  process.execPath,
  '-e',
  `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`,
];

it('sends only parameters that the service has', async () => {
  const gate = await openGate(server.url);
  const through = { SVC_BASE_URL: gate.url };
  expect((await agent(['report', writeReport(workspace, 1), '--target-ref', 'main'], through)).code).toBe(0);
  const listed = await agent(['findings', '--status', 'open', '--severity', 'medium', '--json'], through);
  expect(JSON.parse(listed.out)).toHaveLength(1);
  expect(gate.warnings.length).toBeGreaterThan(3);
  expect(gate.warnings.filter(Boolean)).toEqual([]);
});

describe('svc-agent report', () => {
  it('pushes the findings of a report and prints how many are new', async () => {
    const report = writeReport(workspace, 3);
    const first = await agentProcess(['report', report, '--name', 'Nightly', '--target-type', 'repository']);
    expect(first.err).toBe(`${report}: 3 findings (bandit)\n`);
    expect(first.out).toMatch(/^new +3 +0 +0 +3 +0 +0$/m);
    expect(first.code).toBe(0);
    const [scan] = await scans();
    expect(first.out).toContain(`${server.url}/o/${org.slug}/scans/${scan.id}\n`);
    expect(scan).toMatchObject({
      name: 'Nightly',
      persona: 'sharingan',
      status: 'completed',
      finding_count: 3,
      target: { type: 'repository' },
      summary: { total: 3, medium: 3 },
    });
    expect((await findings())[0]).toMatchObject({ file: 'src/file-2.py', line: 3, source: 'bandit' });

    const again = await agent(['report', report, '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ total: 3, new: 0, seen_again: 3, not_delivered: 0 });
    expect(again.err).toBe('');
    expect((await findings()).map((finding: { seen_count: number }) => finding.seen_count)).toEqual([
      2, 2, 2,
    ]);
  });

  it('reads several reports and stdin', async () => {
    const report = writeReport(workspace, 2);
    const run = await agentProcess(
      ['report', report, '-', '--json'],
      {},
      readFileSync(report, 'utf8').replaceAll('B101', 'B102'),
    );
    expect(JSON.parse(run.out)).toMatchObject({ new: 4 });
    expect(await scans()).toHaveLength(1);
  });

  it('tells the commit of the workspace, which changes from scan to scan and compares them all the same', async () => {
    const as = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    const git = (...args: string[]) => execFileSync('git', ['-C', workspace, ...as, ...args]);
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '-m', 'First');
    await agent(['report', writeReport(workspace, 2), '--target-ref', 'main']);
    git('commit', '--quiet', '--allow-empty', '-m', 'Second');
    await agent(['report', writeReport(workspace, 1), '--target-ref', 'main']);
    await agent(['report', writeReport(workspace, 1), '--commit', 'r1234']);
    const commits = String(git('rev-list', 'HEAD')).trim().split('\n');
    expect((await scans()).map(({ commit }: { commit: string }) => commit)).toEqual(['r1234', ...commits]);
    const missing = must(await server.api.get('/findings?missing=true', org.asOwner));
    expect(missing).toHaveLength(1);
  });

  it('accepts the slug of a project', async () => {
    const { slug } = must(await server.api.get(`/projects/${env.SVC_PROJECT_ID}`, org.asOwner));
    const run = await agent(['report', writeReport(workspace, 1), '--project', slug]);
    expect(run.code).toBe(0);
    expect(await findings()).toHaveLength(1);
  });

  it.each([
    ['medium', 2],
    ['low', 2],
    ['high', 0],
  ])('with --fail-on %s exits with %i when the worst is medium', async (severity, code) => {
    const run = await agent(['report', writeReport(workspace, 1), '--fail-on', severity]);
    expect(run.code).toBe(code);
  });

  it('declares the scanners and the branches, and sends reports about different things as a scan each', async () => {
    const write = (name: string, report: object) => {
      writeFileSync(join(workspace, name), JSON.stringify(report));
      return name;
    };
    const image = (name: string) =>
      write(`${name}.json`, {
        SchemaVersion: 2,
        ArtifactName: name,
        ArtifactType: 'container_image',
        Results: [],
      });
    const clean = write('bandit.json', { results: [], errors: [], metrics: {}, generated_at: '' });
    const files = [image('web'), image('api'), clean];
    const said = async () => (await scans()).map(({ sources, target }) => [sources, target]);
    const ci = { GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'fix', CI_DEFAULT_BRANCH: 'main' };
    expect((await agent(['report', ...files, '--base-ref', 'trunk'], ci)).code).toBe(0);
    const refs = { ref: 'fix', base_ref: 'trunk', default_ref: 'main' };
    expect(await said()).toEqual([
      [['bandit'], refs],
      [['trivy'], { ...refs, category: 'api' }],
      [['trivy'], { ...refs, category: 'web' }],
    ]);
    await agent(['report', ...files, '--category', 'all']);
    expect((await said())[0]).toEqual([['trivy', 'bandit'], { category: 'all' }]);
    await agent(['run', '--', 'cat', 'web.json']);
    expect((await said())[0]).toEqual([['trivy'], { category: 'web' }]);
  });

  it('does not fail on findings that users have dismissed', async () => {
    const report = writeReport(workspace, 1);
    expect((await agentProcess(['report', report, '--fail-on', 'info'])).code).toBe(2);
    const [{ id }] = await findings();
    must(await server.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'false_positive' } }));
    expect((await agent(['report', report, '--fail-on', 'info'])).code).toBe(0);
  });

  it('with --dry-run sends and stores nothing', async () => {
    const run = await agent(['report', writeReport(workspace, 2), '--dry-run']);
    expect(run.code).toBe(0);
    expect(run.out.split('\n')).toHaveLength(3);
    expect(await scans()).toEqual([]);
    expect(readdirSync(workspace)).toEqual(['report.json']);
  });

  it.each([
    ['missing', 'missing.json', /^svc-agent: missing\.json: cannot be read \(ENOENT\)\n$/],
    ['empty', '', /^svc-agent: bad\.json: The report is empty\n$/],
    ['plain text', 'hello', /^svc-agent: bad\.json: The report is neither JSON, XML nor CSV .*\n$/],
    [
      'other JSON',
      '{"a":1}',
      /^svc-agent: bad\.json: The report format is not recognized\. Set it with --format, or use .*\n$/,
    ],
    ['a truncated report', '{"results": [', /^svc-agent: bad\.json: .*line 1\n$/],
  ])('pushes nothing if one file is %s, and prints the reason in one line', async (_, content, line) => {
    const good = writeReport(workspace, 1);
    const bad = content.endsWith('.json') ? content : 'bad.json';
    if (bad === 'bad.json') writeFileSync(join(workspace, bad), content);
    const run = await agent(['report', good, bad, '--quiet']);
    expect([run.code, run.out]).toEqual([1, '']);
    expect(run.err).toMatch(line);
    expect(await scans()).toEqual([]);
  });

  it('accepts the key from the environment only', async () => {
    const report = writeReport(workspace, 1);
    for (const args of [['--api-key', 'svc_x'], ['--token=svc_x']]) {
      const run = await agentProcess(['report', report, ...args]);
      expect([run.code, run.err]).toEqual([
        1,
        expect.stringMatching(/^svc-agent: Set the API key in the environment .*\n$/),
      ]);
    }
    mkdirSync(join(workspace, '.svc'));
    writeFileSync(join(workspace, '.svc/config.yml'), 'reporting:\n  api_key: svc_x\n');
    const run = await agent(['report', report]);
    expect([run.code, run.err]).toEqual([
      1,
      expect.stringMatching(/config\.yml: “api_key” is refused\. Set the API key/),
    ]);
    expect(await scans()).toEqual([]);
  });

  it('names the missing setting', async () => {
    const report = writeReport(workspace, 1);
    expect((await agent(['report', report], { SVC_BASE_URL: undefined })).err).toContain('--report-base-url');
    expect((await agent(['report', report], { SVC_API_KEY: undefined })).err).toContain('SVC_API_KEY');
    expect((await agent(['report', report], { SVC_PROJECT_ID: '' })).err).toContain('--project');
  });

  it('exits with 1 if the key is revoked, and queues the findings for a valid one', async () => {
    const run = await agent(['report', writeReport(workspace, 2)], { SVC_API_KEY: `svc_${'0'.repeat(32)}` });
    expect(run.code).toBe(1);
    expect(run.err).toContain('unknown or revoked');
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(2);
    expect((await scans())[0]).toMatchObject({ status: 'completed' });
  });
});

describe('svc-agent run', () => {
  const node = (script: string) => ['--', process.execPath, '-e', script];

  it('reads the stdout of a scanner, also if the scanner exits with an error', async () => {
    const report = writeReport(workspace, 2);
    const script = `process.stdout.write(require('fs').readFileSync(${JSON.stringify(report)})); process.exitCode = 1`;
    expect((await agentProcess(['run', '--quiet', ...node(script)])).code).toBe(0);
    expect(await findings()).toHaveLength(2);
  });

  it('reads the file that the scanner wrote, but not a file of an earlier run', async () => {
    const report = writeReport(workspace, 2);
    const write = `console.log('scanning …'); require('fs').copyFileSync('report.json', 'out.json')`;
    const run = () => agent(['run', '--report', 'out.json', ...node(write)]);
    const first = await run();
    expect(first.code).toBe(0);
    expect(first.err).toContain('scanning …');
    expect(await findings()).toHaveLength(2);
    expect((await run()).code).toBe(0);
    const stale = await agent(['run', '--report', report, ...node('0')]);
    expect([stale.code, stale.err]).toEqual([4, expect.stringContaining('wrote no report')]);
  });

  it('starts the scanner while the service is unreachable, and delivers once it is reachable', async () => {
    // No server listens on port 9, so the gate closes every connection.
    const gate = await openGate('http://127.0.0.1:9');
    const report = writeReport(workspace, 1);
    const script = `
      const { existsSync, readFileSync, writeFileSync } = require('fs');
      writeFileSync('started', '');
      const waiting = setInterval(() => {
        if (!existsSync('go')) return;
        clearInterval(waiting);
        process.stdout.write(readFileSync(${JSON.stringify(report)}));
      }, 20);`;
    const { ended } = startAgent(['run', ...node(script)], {
      cwd: workspace,
      env: { ...env, SVC_BASE_URL: gate.url },
    });
    await vi.waitUntil(() => existsSync(join(workspace, 'started')));
    gate.lead(server.url);
    writeFileSync(join(workspace, 'go'), '');
    expect((await ended).code).toBe(0);
    expect(await findings()).toHaveLength(1);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('on %s stops the scanner, fails the scan and exits with %i', async (signal, code) => {
    const pidFile = join(workspace, 'pid');
    const { child, ended } = startAgent(['run', ...endlessScanner(pidFile)], { cwd: workspace, env });
    const pid = await readPid(pidFile);
    await expect.poll(async () => (await scans())[0]).toMatchObject({ status: 'running' });
    const started = Date.now();
    child.kill(signal);
    expect((await ended).code).toBe(code);
    expect(Date.now() - started).toBeLessThan(limit(5_000));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect((await scans())[0]).toMatchObject({
      status: 'failed',
      error_message: `terminated by ${signal}`,
    });
  });
});

it('svc-agent run stops the child processes of a scanner, also if they ignore SIGTERM', async () => {
  const pidFile = join(workspace, 'pid');
  const inner = `process.on('SIGTERM', () => {}); require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)`;
  const { child, ended } = startAgent(['run', '--', 'sh', '-c', `${process.execPath} -e "${inner}"; true`], {
    cwd: workspace,
    env,
  });
  const pid = await readPid(pidFile);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(143);
  expect(isRunning(pid)).toBe(false);
});

describe('svc-agent findings, verify, reopen and attach', () => {
  it('confirm fixes, reopen findings and attach exploits', async () => {
    await agent(['report', writeReport(workspace, 2)]);
    const [{ id }] = await findings();
    must(await server.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    const list = async (...args: string[]) => (await agent(['findings', '--json', ...args])).out;
    expect(JSON.parse(await list('--status', 'fixed')).map((finding: { id: string }) => finding.id)).toEqual([
      id,
    ]);
    expect(JSON.parse(await list('--status', 'fixed,open', '--severity', 'medium'))).toHaveLength(2);
    expect((await agentProcess(['verify', id])).err).toMatch(/: verified\n$/);
    expect((await agent(['reopen', id])).err).toMatch(/: open\n$/);
    expect((await agent(['findings', '--status', 'fixed'])).err).toBe('No findings.\n');

    writeFileSync(join(workspace, 'poc.py'), 'print(1)\n');
    expect((await agent(['attach', id, 'poc.py'])).code).toBe(0);
    const [exploit] = must(await server.api.get(`/findings/${id}/exploits`, org.asOwner));
    expect(exploit).toMatchObject({ filename: 'poc.py', language: 'python', code: 'print(1)\n' });
  });

  it('print why the service refused a request', async () => {
    const run = await agent(['verify', 'nonsense']);
    expect(run.code).toBe(1);
    expect(run.err).toMatch(
      /^svc-agent: the service refused the request: Not found\. \(req_[0-9a-f]{32}\)\n$/,
    );
    expect((await agent(['findings', '--status', 'nice'])).code).toBe(1);
  });
});

describe('svc-agent config show', () => {
  it('shows each setting with its source, and the key masked', async () => {
    mkdirSync(join(workspace, '.svc'));
    writeFileSync(
      join(workspace, '.svc/config.yml'),
      'reporting:\n  base_url: http://file.localhost/\n  project_id: of-file\n',
    );
    mkdirSync(join(workspace, '.config/svc'), { recursive: true });
    writeFileSync(
      join(workspace, '.config/svc/config.yml'),
      'reporting:\n  project_id: of-home\n  org: home\n',
    );
    const key = `svc_${'ab'.repeat(16)}`;
    const show = async (args: string[], changed: Record<string, string | undefined>) => {
      const none = {
        SVC_BASE_URL: undefined,
        SVC_PROJECT_ID: undefined,
        SVC_ORG: undefined,
        SVC_API_KEY: key,
      };
      const { out } = await agent(['config', 'show', '--json', ...args], { ...none, ...changed });
      expect(out).not.toContain(key);
      return JSON.parse(out);
    };
    expect(await show([], {})).toMatchObject({
      base_url: { value: 'http://file.localhost', source: join(workspace, '.svc/config.yml') },
      api_key: { value: 'svc_abab…', source: 'SVC_API_KEY' },
      project: { value: 'of-file', source: join(workspace, '.svc/config.yml') },
      org: { value: 'home', source: join(workspace, '.config/svc/config.yml') },
    });
    expect((await show([], { SVC_PROJECT_ID: 'of-env' })).project.source).toBe('SVC_PROJECT_ID');
    expect((await show(['--project', 'of-flag'], { SVC_PROJECT_ID: 'of-env' })).project.source).toBe(
      '--project',
    );
  });
});

describe('settings', () => {
  const FLAGS = { reportBaseUrl: 'https://flag.example', project: 'of-flag', org: 'flag' };
  const VARIABLES = { SVC_BASE_URL: 'https://env.example', SVC_PROJECT_ID: 'of-env', SVC_ORG: 'env' };
  const NAMES = ['flag', 'env', 'workspace', 'global'] as const;

  /** Resolves the settings when `first` and all sources of lower precedence define them. */
  function settingsFrom(first: (typeof NAMES)[number]) {
    const from = NAMES.indexOf(first);
    const file = (name: string) =>
      `reporting: { base_url: 'https://${name}.example', project_id: of-${name}, org: ${name} }\n`;
    const config = join(workspace, '.config/svc');
    for (const dir of [join(workspace, '.svc'), config]) mkdirSync(dir, { recursive: true });
    if (from <= 2) writeFileSync(join(workspace, '.svc/config.yml'), file('workspace'));
    writeFileSync(join(config, 'config.yml'), file('global'));
    return resolveSettings(
      { workspace, ...(from === 0 && FLAGS) },
      { HOME: workspace, ...(from <= 1 && VARIABLES) },
    );
  }

  it.each(NAMES)('are taken from the first source that defines them: %s', (name) => {
    expect(settingsFrom(name)).toMatchObject({
      baseUrl: { value: `https://${name}.example` },
      project: { value: `of-${name}` },
      org: { value: name },
    });
  });

  it('prefer --report-base-url to SVC_BASE_URL, and send nothing to the latter', async () => {
    const other = await startHostileService();
    const run = await agent(['report', writeReport(workspace, 1), '--report-base-url', server.url], {
      SVC_BASE_URL: other.url,
    });
    expect(run.code).toBe(0);
    expect(await findings()).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });

  const resolve = (url: string) => resolveSettings({ workspace, reportBaseUrl: url }, { HOME: workspace });

  it.each([
    'https://acme.example.com',
    'http://localhost:8080',
    'http://acme.localhost',
    'http://127.0.0.1:1',
    'http://[::1]:1',
  ])('do not warn about %s', (url) => expect(resolve(url).warnings).toEqual([]));

  it.each(['http://acme.example.com', 'http://10.0.0.1:8080', 'http://localhost.example.com'])(
    'warn about %s',
    (url) => expect(resolve(url).warnings).toEqual([expect.stringContaining('is not encrypted')]),
  );

  it.each([
    'acme.example.com',
    'ftp://acme.example.com',
    'https://user:pass@acme.example.com',
    'https://x/?a=b',
    '',
  ])('reject the address %j', (url) => {
    if (url === '') expect(resolve(url).baseUrl.value).toBeUndefined();
    else expect(() => resolve(url)).toThrow('is not the address of a service');
  });

  it('strip the API path from an address', () => {
    expect(resolve('https://acme.example.com/api/v1/').baseUrl.value).toBe('https://acme.example.com');
  });

  it.each([
    ['localhost', true],
    ['a.b.LOCALHOST.', true],
    ['127.3.2.1', true],
    ['localhost.example.com', false],
    ['notlocalhost', false],
    ['128.0.0.1', false],
  ])('treat %s as this machine: %s', (name, isLocal) => expect(isLoopback(name)).toBe(isLocal));
});

const BATCH = '/api/v1/agent/findings/batch';

describe.each([
  ['in batches', BATCH],
  ['one by one to an older service', '/api/v1/agent/findings'],
])('delivery %s', (_, PUSH) => {
  let proxy: FaultyProxy;

  /** Makes requests fail. An older service knows no batches. */
  function fail(fault: FaultyProxy['fault']): void {
    proxy.fault = (path, n) => fault(path, n) ?? (path === BATCH && PUSH !== BATCH ? 404 : undefined);
  }

  beforeEach(async () => {
    proxy = await startProxy(server.url);
    fail(() => undefined);
  });

  const startReporter = (changed: Partial<ReporterOptions> = {}) =>
    startReporterFor({ env, workspace }, { baseUrl: proxy.url, ...changed });
  const pushes = () => proxy.pushes.filter(({ path }) => path === PUSH);

  it('by the reporter library: single findings, several at once, and the end of the scan', async () => {
    const reporter = startReporter({ name: 'By hand' });
    await Promise.all([
      reporter.report(ownFinding(1)),
      reporter.report(ownFinding(2)),
      reporter.report([ownFinding(3), ownFinding(4)]),
    ]);
    const outcome = await reporter.complete();
    expect(outcome).toMatchObject({ fresh: 4, seenAgain: 0, refused: 0, pending: 0, stopped: undefined });
    expect((await scans())[0]).toMatchObject({
      id: reporter.scanId,
      name: 'By hand',
      status: 'completed',
      finding_count: 4,
    });
    const failed = startReporter();
    await failed.report(ownFinding(1));
    await failed.fail('no disk left');
    expect((await scans())[0]).toMatchObject({
      status: 'failed',
      error_message: 'no disk left',
      finding_count: 1,
    });
  });

  it('ends a scan once', async () => {
    const reporter = startReporter();
    await reporter.report(ownFinding(1));
    const [first, second] = await Promise.all([reporter.fail('stopped'), reporter.complete()]);
    expect(second).toEqual(first);
    expect((await scans())[0]).toMatchObject({ status: 'failed', error_message: 'stopped' });
    await expect(reporter.report(ownFinding(2))).rejects.toThrow('The scan has ended.');
  });

  it.each([500, 502, 503, 429, 408, 'drop'] as const)('retries three times after %s', async (failure) => {
    fail((path, n) => (path === PUSH && n <= 3 ? failure : undefined));
    const outcome = await startReporter().report(ownFinding(1));
    expect(outcome).toMatchObject({ fresh: 1, pending: 0 });
    expect(pushes()).toHaveLength(4);
  });

  it.each([500, 503, 'drop'] as const)(
    'gives up after the third retry on %s, and queues the finding',
    async (failure) => {
      fail((path) => (path === PUSH ? failure : undefined));
      const reporter = startReporter();
      const outcome = await reporter.report(ownFinding(1));
      expect(outcome).toMatchObject({ fresh: 0, pending: 1 });
      expect(pushes()).toHaveLength(4);
      await reporter.complete();
      expect((await agent(['sync'])).code).toBe(0);
      expect(await findings()).toHaveLength(1);
      expect((await scans())[0]).toMatchObject({ status: 'completed', finding_count: 1 });
    },
  );

  it('waits about 1, 2 and 4 seconds between attempts by default', async () => {
    fail((path) => (path === PUSH ? 503 : undefined));
    const waits: number[] = [];
    const wait = async (ms: number) => void waits.push(ms / 1_000);
    const reporter = startReporter({ retryDelays: undefined, wait });
    expect(await reporter.report(ownFinding(1))).toMatchObject({
      pending: 1,
      stopped: { reason: 'unreachable' },
    });
    expect(pushes()).toHaveLength(4);
    expect(waits).toHaveLength(3);
    for (const [i, middle] of [1, 2, 4].entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(0.75 * middle);
      expect(waits[i]).toBeLessThan(1.25 * middle);
    }
  });

  it.each([
    [0, [0.75, 1.5, 3]],
    [0.5, RETRY_DELAYS_S],
    [1, [1.25, 2.5, 5]],
  ])('adds 25 % jitter: random value %d gives the delays %j', async (random, expected) => {
    const waits: number[] = [];
    const call = () => Promise.reject(new TypeError('fetch failed'));
    const wait = async (ms: number) => void waits.push(ms / 1_000);
    await expect(withRetries(call, { wait, random: () => random })).rejects.toThrow('fetch failed');
    expect(waits).toEqual(expected);
  });

  it.each([400, 401, 403, 404])('does not retry after %i', async (status) => {
    fail((path) => (path === PUSH ? status : undefined));
    await startReporter().report(ownFinding(1));
    expect(pushes()).toHaveLength(1);
  });

  it('honours Retry-After', async () => {
    const busy = { status: 429, headers: { 'retry-after': '1' } };
    fail((path, n) => (path === PUSH && n === 1 ? busy : undefined));
    const started = Date.now();
    await startReporter().report(ownFinding(1));
    expect(Date.now() - started).toBeGreaterThanOrEqual(1_000);
  });

  it('does not try an unreachable service for each of a thousand findings', async () => {
    fail((path) => (path === PUSH ? 'drop' : undefined));
    const outcome = await startReporter().report(Array.from({ length: 1_000 }, (_, i) => ownFinding(i)));
    expect(outcome).toMatchObject({ pending: 1_000, stopped: { reason: 'unreachable' } });
    expect(proxy.pushes.length).toBeLessThan(50);
  });

  it('registers again if the response was lost, also with the slug of a project', async () => {
    const { slug } = must(await server.api.get(`/projects/${env.SVC_PROJECT_ID}`, org.asOwner));
    for (const project of [env.SVC_PROJECT_ID ?? '', slug]) {
      const reporter = startReporter({ project });
      // The scan is registered, but the agent does not know.
      const body = { scan_id: reporter.scanId, project_id: env.SVC_PROJECT_ID, persona: 'killua' };
      must(await server.api.post('/agent/scans', { token: env.SVC_API_KEY, org: org.slug, body }));
      expect(await reporter.report(ownFinding(1))).toMatchObject({ pending: 0, stopped: undefined });
      expect((await reporter.complete()).stopped).toBeUndefined();
    }
    expect((await scans()).filter(({ status }: { status: string }) => status === 'running')).toEqual([]);
  });

  it('writes findings to disk before it sends them', async () => {
    let onDisk = 0;
    fail((path) => {
      if (path === '/api/v1/agent/scans') {
        const [file = ''] = journals();
        onDisk =
          readFileSync(join(workspace, '.svc/scans', file), 'utf8').split('"type":"finding"').length - 1;
      }
      return undefined;
    });
    await startReporter().report([ownFinding(1), ownFinding(2)]);
    expect(onDisk).toBe(2);
  });

  it('continues a journal whose last line a crash truncated', async () => {
    fail(() => 'drop');
    const reporter = startReporter();
    await reporter.report([ownFinding(1), ownFinding(2)]);
    await reporter.complete();
    const file = join(workspace, '.svc/scans', `${reporter.scanId}.jsonl`);
    appendFileSync(file, '{"type":"delivered","n":0,"id":"x","dedu');
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(2);
    expect((await agent(['sync'])).err).toBe('Nothing to deliver.\n');
  });

  it('skips a journal that another process is using', async () => {
    fail((path) => (path === PUSH ? 'drop' : undefined));
    const reporter = startReporter();
    await reporter.report(ownFinding(1));
    const busy = await agentProcess(['sync']);
    expect([busy.code, busy.err]).toEqual([3, expect.stringContaining('another process is using it')]);
    fail(() => undefined);
    // The service is reachable again, so ending the scan delivers the pending finding.
    expect(await reporter.complete()).toMatchObject({ fresh: 1, pending: 0, stopped: undefined });
    expect((await agent(['sync'])).err).toBe('Nothing to deliver.\n');
  });

  /** Creates a journal with undelivered findings. */
  async function createUndelivered(...fingerprints: number[]): Promise<string> {
    fail(() => 'drop');
    const reporter = startReporter();
    await reporter.report(fingerprints.map((n) => ownFinding(n)));
    await reporter.complete();
    fail(() => undefined);
    return join(workspace, '.svc/scans', `${reporter.scanId}.jsonl`);
  }

  it('happens once if two processes sync at the same time', async () => {
    // Locks are the same for both deliveries.
    const rounds = PUSH === BATCH ? 3 : 1;
    for (let round = 0; round < rounds; round++) {
      const path = await createUndelivered(...Array.from({ length: 50 }, (_, i) => 50 * round + i));
      // The lock of a killed process.
      writeFileSync(`${path}.lock`, 'somewhere 2 12345');
      await Promise.all([agentProcess(['sync']), agentProcess(['sync'])]);
    }
    const arrived = await findings();
    expect(arrived).toHaveLength(50 * rounds);
    expect(new Set(arrived.map((finding: { seen_count: number }) => finding.seen_count))).toEqual(
      new Set([1]),
    );
  });

  it.each(['', '1', `${process.pid}`, 'garbage'])(
    'replaces a lock whose owner is not running: %j',
    async (holder) => {
      const path = await createUndelivered(1);
      writeFileSync(`${path}.lock`, holder);
      expect((await agent(['sync'])).code).toBe(0);
      expect(await findings()).toHaveLength(1);
    },
  );

  it('of a scan that the service refuses does not block the others', async () => {
    const path = await createUndelivered(1);
    const text = readFileSync(path, 'utf8').replaceAll(env.SVC_PROJECT_ID ?? '', crypto.randomUUID());
    const other = join(workspace, '.svc/scans/0-other-project.jsonl');
    writeFileSync(other, text);
    for (const [name, content] of Object.entries({ a: 'null', b: '{"type":"scan"}', c: '' })) {
      writeFileSync(join(workspace, `.svc/scans/0-${name}.jsonl`), content);
    }
    mkdirSync(join(workspace, '.svc/scans/0-folder.jsonl'));
    appendFileSync(path, 'null\n{"type":"finding","n":9}\n');
    const { code, err } = await agent(['sync', '--accept-journal', other]);
    expect(code).toBe(3);
    expect(err.match(/is not a journal/g)).toHaveLength(4);
    expect(err).toMatch(/: The API token belongs to another project\.$/m);
    expect(await findings()).toHaveLength(1);
  });

  it('of a scan that the service never accepts stays, until its journal is deleted as the message says', async () => {
    const run = await agent(['report', writeReport(workspace, 1), '--project', 'no-such-project']);
    const [, directory = '', name = ''] =
      /queued in (\S+): .*, or delete (\S+) there\.$/m.exec(run.err) ?? [];
    expect([run.code, name]).toEqual([1, expect.stringMatching(/\.jsonl$/)]);
    expect((await agent(['sync'])).code).toBe(3);
    rmSync(join(directory, name));
    expect((await agent(['sync'])).err).toBe('Nothing to deliver.\n');
  });

  it('waits for reports in progress before it ends the scan', async () => {
    const reporter = startReporter();
    const reports = Array.from({ length: 40 }, (_, n) => reporter.report(ownFinding(n)));
    expect(await reporter.complete()).toMatchObject({ fresh: 40, pending: 0 });
    await Promise.all(reports);
    expect((await scans())[0]).toMatchObject({ status: 'completed', finding_count: 40 });
  });

  it('ends the scan of a crashed run as failed', async () => {
    const pidFile = join(workspace, 'pid');
    const { child, ended } = startAgent(['run', ...endlessScanner(pidFile)], { cwd: workspace, env });
    const scanner = await readPid(pidFile);
    child.kill('SIGKILL');
    process.kill(scanner);
    await ended;
    expect((await agent(['sync'])).code).toBe(0);
    expect((await scans())[0]).toMatchObject({
      status: 'failed',
      error_message: 'the agent was interrupted',
    });
  });
});
