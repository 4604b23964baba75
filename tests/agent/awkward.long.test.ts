import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createPassthrough } from '../../agent/scanner/passthrough.ts';
import { printableJson } from '../../agent/text.ts';
import { AGENT, createWorkspace, writeReport } from '../support/agent/agent.ts';
import { type AgentSuite, useAgentProject } from '../support/agent/agent-project.ts';
import { accept, type HostileService, startHostileService } from '../support/hostile/service.ts';
import { afterTest } from '../support/run/suite.ts';

/* Awkward environments and hostile output: the agent loses nothing, and says what happened in words and exit codes. */

let { workspace, env, agent, agentProcess, findings, scans }: AgentSuite = {} as AgentSuite;
let state: string;

useAgentProject((suite) => {
  ({ workspace, env, agent, agentProcess, findings, scans } = suite);
  state = createWorkspace();
});

const ATTACK =
  '\x1b]0;owned\x07\x1b[2J\u009b31m\u202Etxt\n::error::x\n  ::add-mask::y\n##vso[task.setvariable]z ##[error]w';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
const DANGEROUS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^\s*::|##\w*\[/m;

describe('the output of a scanner', () => {
  /** A scanner that prints an attack on both streams. */
  const scanner = (report: string) => [
    process.execPath,
    '-e',
    `const text = ${JSON.stringify(`${ATTACK}\nunfinished é`)};
    process.stdout.write(text); process.stderr.write(text);
    require('fs').copyFileSync(${JSON.stringify(report)}, 'out.json')`,
  ];

  it('reaches the terminal without control sequences and CI commands', async () => {
    const args = ['run', '--report', 'out.json', '--', ...scanner(writeReport(workspace, 1))];
    for (const runAgent of [agent, agentProcess]) {
      const run = await runAgent(args);
      expect(run.code).toBe(0);
      expect(run.err.match(/unfinished é$/gm)).toHaveLength(2);
      expect(run.err + run.out).not.toMatch(DANGEROUS);
    }
  });

  it('is split into lines, also if characters and commands are split into chunks', () => {
    let shown = '';
    const passthrough = createPassthrough((text) => {
      shown += text;
    });
    for (const byte of Buffer.from('10 %\r20 %\r\nä::b\n##vso[x]\n::error::y')) {
      passthrough.push(Buffer.from([byte]));
    }
    passthrough.end();
    expect(shown).toBe('10 %\n20 %\nä::b\n# #vso[x]\n: :error::y\n');
  });

  it('is printed at once if many lines are read at once', () => {
    const written: string[] = [];
    const passthrough = createPassthrough((text) => written.push(text), /^fatal/);
    passthrough.push(
      Buffer.from(`${'checking a file \n'.repeat(1_000)}  ::error::x\n# a\n##vso[x]\ttab\nfatal`),
    );
    expect(passthrough.hasSign()).toBe(false);
    passthrough.end();
    expect(passthrough.hasSign()).toBe(true);
    expect(written).toHaveLength(2);
    expect(written.join('')).toBe(
      `${'checking a file\n'.repeat(1_000)}  : :error::x\n# a\n# #vso[x] tab\nfatal\n`,
    );
  });

  it('takes bounded memory if a line never ends, and a broken line contains no command', () => {
    const written: string[] = [];
    const passthrough = createPassthrough((text) => written.push(text));
    // The break is between ## and vso[.
    passthrough.push(Buffer.from(`${'x'.repeat(16_382)}##vso[a]`));
    for (let i = 0; i < 100; i++) passthrough.push(Buffer.from('y'.repeat(100_000)));
    expect(written.join('').length).toBeGreaterThan(9_900_000);
    expect(written.join('')).not.toMatch(DANGEROUS);
  });
});

describe('the output of the agent', () => {
  it.each([
    [['report', `--${ATTACK}`]],
    [[`${ATTACK}`]],
    [['report', 'x', '--persona', ATTACK]],
    [['report', 'x', '--concurrency', ATTACK]],
    [['report', 'x', '--path-prefix', `../${ATTACK}`]],
    [['run', '--', ATTACK]],
    [['sync', '--accept-journal', ATTACK]],
    [['report', 'report.json', '--dry-run', '--summary', ATTACK]],
  ])('about the arguments %j contains no commands', async (args) => {
    writeReport(workspace, 1);
    const run = await agent(args);
    expect(run.err).not.toBe('');
    expect(run.out + run.err).not.toMatch(DANGEROUS);
  });

  it('about errors of a tool contains no commands', async () => {
    const report = writeReport(workspace, 1);
    const content = JSON.parse(readFileSync(report, 'utf8'));
    const errors = [{ filename: ATTACK, reason: ATTACK }];
    writeFileSync(report, JSON.stringify({ ...content, errors }));
    for (const flags of [[], ['--json'], ['--quiet']]) {
      const run = await agent(['report', report, ...flags]);
      expect(run.code).toBe(4);
      expect(run.err).toContain('was not checked');
      expect(run.out + run.err).not.toMatch(DANGEROUS);
    }
  });

  it('as JSON contains no commands, and keeps the values', async () => {
    const text = printableJson({ a: ATTACK });
    expect(text).not.toMatch(DANGEROUS);
    expect(JSON.parse(text)).toEqual({ a: ATTACK });
  });
});

describe('a redirect within the origin of the service', () => {
  /** Redirects each request once, to the same path with a query. */
  const redirecting = (status: number, location: (url: string) => string = (path) => path) =>
    startHostileService((request, response: ServerResponse) => {
      const { path, method } = request;
      if (path.endsWith('?moved')) return accept(request, response);
      response.writeHead(status, { location: location(`${path}?moved`), 'x-method': method });
      return response.end();
    });

  it.each([301, 302, 307, 308])('with %i repeats a POST with its body', async (status) => {
    const service = await redirecting(status);
    const run = await agent(['report', writeReport(workspace, 1)], { SVC_BASE_URL: service.url });
    expect(run.code).toBe(0);
    const pushes = service.requests.filter(({ path }) => path.includes('/agent/findings'));
    expect(pushes.map(({ method }) => method)).toEqual(['POST', 'POST']);
    expect(pushes[1]?.body).toBe(pushes[0]?.body);
    expect(pushes[1]?.body).toContain('fingerprint');
  });

  it('with 303 is refused in words, because the service would not receive the finding', async () => {
    const service = await redirecting(303);
    const run = await agent(['report', writeReport(workspace, 1)], { SVC_BASE_URL: service.url });
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/redirects POST \S+ to \S+ with status 303.*would not receive the request/);
    expect(service.requests).toHaveLength(1);
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(1);
  });

  it('to an address with a user name is followed without it', async () => {
    const named: HostileService = await redirecting(308, (path) => `//user:pass@${named.host}${path}`);
    const run = await agent(['report', writeReport(workspace, 1)], { SVC_BASE_URL: named.url });
    expect(run.code).toBe(0);
  });
});

describe('a file system that fails', () => {
  const real = { ...fs };
  const restore = () => {
    Object.assign(fs, {
      writeSync: real.writeSync,
      writeFileSync: real.writeFileSync,
      mkdirSync: real.mkdirSync,
    });
    syncBuiltinESMExports();
  };
  afterEach(restore);

  const systemError = (code: string) =>
    Object.assign(new Error(`${code}: it failed, write`), { code, syscall: 'write' });

  /** Makes a function of node:fs fail. */
  function failing(
    name: 'writeSync' | 'writeFileSync' | 'mkdirSync',
    code: string,
    when: (...args: never[]) => boolean,
  ) {
    const original = real[name] as (...args: never[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: never[]) => {
        if (when(...args)) throw systemError(code);
        return original(...args);
      },
    });
    syncBuiltinESMExports();
  }

  const undelivered = async (count = 2) => {
    const down = await startHostileService((_, response) => response.writeHead(401).end('{}'));
    expect((await agent(['report', writeReport(workspace, count)], { SVC_BASE_URL: down.url })).code).toBe(1);
    const [name = ''] = readdirSync(join(workspace, '.svc/scans')).filter((name) => /\.jsonl$/.test(name));
    return join(workspace, '.svc/scans', name);
  };

  it('makes sync exit with 3 if the disk is full and a journal cannot be locked', async () => {
    const path = await undelivered();
    failing('writeFileSync', 'ENOSPC', () => true);
    const run = await agent(['sync']);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining(`${path} is not delivered: ENOSPC`)]);
    restore();
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(2);
  });

  it('makes sync exit with 3 if acknowledgements cannot be written, and the next sync completes', async () => {
    await undelivered();
    failing('writeSync', 'ENOSPC', () => true);
    const run = await agent(['sync']);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining('ENOSPC')]);
    restore();
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(2);
    expect((await scans())[0].status).not.toBe('running');
    expect((await agent(['sync'])).err).toBe('Nothing to deliver.\n');
  });

  it('makes sync exit with 3 if the start of a journal of this user is damaged', async () => {
    const path = await undelivered();
    writeFileSync(path, readFileSync(path, 'utf8').replace('{"type":"scan"', '{"type":"sc'));
    const run = await agent(['sync']);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining('its first line is damaged')]);
  });

  it('ends the scan as failed if the findings cannot be written', async () => {
    failing('writeSync', 'ENOSPC', (...[, data]: unknown[]) => String(data).includes('"type":"finding"'));
    const script = 'process.stdout.write(require("fs").readFileSync("report.json"))';
    writeReport(workspace, 2);
    const run = await agent(['run', '--', process.execPath, '-e', script]);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('ENOSPC')]);
    restore();
    expect((await agent(['sync'])).code).toBe(0);
    expect((await scans()).map(({ status }: { status: string }) => status)).toEqual(['failed']);
  });

  it.each(['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOSPC'])(
    'with %s uses the state directory for the journal',
    async (code) => {
      const report = writeReport(workspace, 2);
      failing('mkdirSync', code, (...[path]: unknown[]) => String(path).startsWith(join(workspace, '.svc')));
      const down = await startHostileService((_, response) => response.writeHead(503).end('{}'));
      const changed = { XDG_STATE_HOME: state };
      const run = await agent(['report', report], { ...changed, SVC_BASE_URL: down.url });
      expect(run.code).toBe(3);
      expect(run.err).toContain(`queued in ${state}/svc-agent/workspaces/`);
      expect(existsSync(join(workspace, '.svc'))).toBe(false);
      const other = createWorkspace();
      expect((await agent(['sync', '--workspace', other], changed)).err).toBe('Nothing to deliver.\n');
      expect((await agent(['sync'], changed)).code).toBe(0);
      expect(await findings()).toHaveLength(2);
      expect((await agent(['sync'], changed)).err).toBe('Nothing to deliver.\n');
    },
    60_000,
  );

  /** Neither the workspace nor the state directory can be written. */
  const readOnly = (code: string) =>
    failing('mkdirSync', code, (...[path]: unknown[]) =>
      [workspace, state].some((directory) => String(path).startsWith(`${directory}/`)),
    );

  it.each(['EROFS', 'ENOTDIR'])('with %s in both uses a temporary file, and says so', async (code) => {
    const report = writeReport(workspace, 2);
    const temporary = createWorkspace();
    const changed = { XDG_STATE_HOME: join(state, 'none'), TMPDIR: temporary };
    readOnly(code);
    const run = await agent(['report', report], changed);
    expect([run.code, run.err]).toEqual([0, expect.stringContaining('Set XDG_STATE_HOME')]);
    expect(await findings()).toHaveLength(2);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('keeps findings in the temporary file that are not delivered, and says how to deliver them', async () => {
    const report = writeReport(workspace, 2);
    const changed = { XDG_STATE_HOME: join(state, 'none'), TMPDIR: createWorkspace() };
    readOnly('EACCES');
    const down = await startHostileService((_, response) => response.writeHead(503).end('{}'));
    const run = await agent(['report', report], { ...changed, SVC_BASE_URL: down.url });
    expect(run.code).toBe(3);
    const [, command = ''] = /`svc-agent (sync --workspace .*?)`/.exec(run.err) ?? [];
    expect((await agent(command.split(' '), changed)).code).toBe(0);
    expect(await findings()).toHaveLength(2);
  });

  it('names the variable to set if no directory can be written', async () => {
    const report = writeReport(workspace, 2);
    readOnly('EROFS');
    const run = await agent(['report', report], {
      XDG_STATE_HOME: join(state, 'none'),
      TMPDIR: join(state, 'none'),
    });
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('Set XDG_STATE_HOME')]);
  });

  it.skipIf(!existsSync('/proc/self'))('is no loop if the state directory can never exist', async () => {
    const run = await agentProcess(['report', writeReport(workspace, 2)], { XDG_STATE_HOME: '/proc/none' });
    expect([run.code, run.err]).toEqual([0, expect.stringContaining('Set XDG_STATE_HOME')]);
    expect((await agent(['sync'], { XDG_STATE_HOME: '/dev/null/none' })).code).toBe(0);
  });

  /** Only root can run the agent as another user, who can read what is in /tmp. */
  it.skipIf(process.getuid?.() !== 0)('delivers as any user, without an account and a home', async () => {
    const report = writeReport(workspace, 2);
    chmodSync(workspace, 0o555);
    const copy = join(createWorkspace(), 'svc-agent.mjs');
    copyFileSync(AGENT, copy);
    chmodSync(dirname(copy), 0o755);
    for (const home of [{}, { HOME: '/' }, { HOME: '/root' }]) {
      const child = spawn(process.execPath, [copy, 'report', report], {
        cwd: workspace,
        uid: 54_321,
        gid: 54_321,
        env: { PATH: process.env.PATH, ...env, ...home, TMPDIR: '/tmp' },
        stdio: 'ignore',
      });
      expect(await once(child, 'exit')).toEqual([0, null]);
    }
    expect(await findings()).toHaveLength(2);
  });
});

describe('a lock of a process that has exited', () => {
  const startTime = (pid: number) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  };

  /** Queues a finding. @returns the path of the lock */
  async function queue(): Promise<string> {
    const down = await startHostileService((_, response) => response.writeHead(401).end('{}'));
    expect((await agent(['report', writeReport(workspace, 1)], { SVC_BASE_URL: down.url })).code).toBe(1);
    const [name = ''] = readdirSync(join(workspace, '.svc/scans')).filter((name) => /\.jsonl$/.test(name));
    return join(workspace, '.svc/scans', `${name}.lock`);
  }

  it.skipIf(!existsSync('/proc/self/stat'))('but is a zombie does not block', async () => {
    const lock = await queue();
    // `sleep` never reads the exit code of its child.
    const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 300'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    afterTest(() => void parent.kill('SIGKILL'));
    const [data] = await once(parent.stdout, 'data');
    const pid = Number(String(data));
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    writeFileSync(lock, `${hostname()} ${pid} ${startTime(pid)}`);
    expect((await agent(['sync'])).code).toBe(0);
    expect(await findings()).toHaveLength(1);
  });

  it.skipIf(!existsSync('/proc/self/stat'))(
    'and whose id is reused does not block, a running one does',
    async () => {
      const lock = await queue();
      writeFileSync(lock, `${hostname()} ${process.pid} ${startTime(process.pid)}`);
      expect((await agentProcess(['sync'])).code).toBe(3);
      writeFileSync(lock, `${hostname()} ${process.pid} ${Number(startTime(process.pid)) - 1}`);
      expect((await agentProcess(['sync'])).code).toBe(0);
      expect(await findings()).toHaveLength(1);
    },
  );
});
