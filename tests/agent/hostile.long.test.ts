import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createJournal } from '../../agent/journal/create.ts';
import { createReporter } from '../../agent/reporter.ts';
import { oneLine, printable, printableJson } from '../../agent/text.ts';
import { confirmAtTerminal } from '../../agent/trust/confirm.ts';
import { checkWorkspaceDestination } from '../../agent/trust/destination.ts';
import { matchesHost, matchesTrusted, parseHosts } from '../../agent/trust/hosts.ts';
import { bindKey } from '../../agent/trust/keys.ts';
import { openState, stateDirectory } from '../../agent/trust/state.ts';
import { type AgentRun, createWorkspace, runAgent, writeReport } from '../support/agent/agent.ts';
import { runAgentHere } from '../support/agent/agent-here.ts';
import { type AgentProject, useAgentProject } from '../support/agent/agent-project.ts';
import { createCertificate } from '../support/hostile/certificate.ts';
import { startHostileService } from '../support/hostile/service.ts';
import type { RunningServer } from '../support/server/server.ts';

/*
 * Attacks on the agent by the content of a repository and by a hostile service. Each test asserts that the attacker
 * gains nothing.
 */

let server: RunningServer;
let project: AgentProject;
/** The attacker's repository. */
let workspace: string;
/** The user's home, outside the repository. */
let home: string;

useAgentProject((suite) => {
  project = suite;
  ({ server, workspace } = suite);
  home = createWorkspace();
});

const userEnv = () => ({ ...project.env, HOME: home, XDG_STATE_HOME: join(home, 'state') });

type Changed = Record<string, string | undefined>;

/** Runs the agent as the user. The environment defines the address of the service unless `changed` removes it. */
const agent = (args: string[], changed: Changed = {}): Promise<AgentRun> =>
  runAgentHere(args, { cwd: workspace, env: { ...userEnv(), ...changed } });

/** Like `agent`, in a separate process. */
const agentProcess = (args: string[], changed: Changed = {}): Promise<AgentRun> =>
  runAgent(args, { cwd: workspace, env: { ...userEnv(), ...changed } });

/** Like `agent`, but the address comes from the configuration files. */
const agentWithoutAddress = (args: string[], changed: Changed = {}) =>
  agent(args, { SVC_BASE_URL: undefined, ...changed });

/** Adds a file to the repository. */
function commit(path: string, content: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
}

const commitAddress = (url: string) => commit('.svc/config.yml', `reporting:\n  base_url: ${url}\n`);

function configure(content: string): void {
  mkdirSync(join(home, '.config/svc'), { recursive: true });
  writeFileSync(join(home, '.config/svc/config.yml'), content);
}

/** Delivers once, so that the agent records the origin of the key. */
async function deliverOnce(): Promise<void> {
  expect((await agent(['report', writeReport(workspace, 1)])).code).toBe(0);
}

/** Records the origin of the key without a delivery. */
const recordOrigin = () => bindKey(openState(userEnv()), project.env.SVC_API_KEY ?? '', server.url);

/** Runs the command that a message of the agent contains. */
async function runSuggestedCommand(err: string, env: Record<string, string | undefined>): Promise<void> {
  const [command = ''] = /node \S+svc-agent\.mjs .*$/m.exec(err) ?? [];
  await promisify(execFile)('sh', ['-c', command], {
    cwd: workspace,
    env: { PATH: process.env.PATH, ...userEnv(), ...env } as NodeJS.ProcessEnv,
  });
}

const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('a repository that names another service', () => {
  it('does not receive a key that belongs to the user’s service', async () => {
    await deliverOnce();
    const thief = await startHostileService();
    commitAddress(thief.url);
    const args = ['report', writeReport(workspace, 1), '--name', 'It’s mine'];
    const run = await agentProcess(args, { SVC_BASE_URL: undefined });
    expect([run.code, run.out]).toEqual([1, '']);
    expect(thief.requests).toEqual([]);
    expect(run.err).toContain(`names ${thief.url}, but this API key belongs to ${server.url}.`);
    // The suggested command repeats the original one and works.
    await runSuggestedCommand(run.err, { SVC_BASE_URL: undefined });
    expect(thief.requests[0]).toMatchObject({ authorization: `Bearer ${project.env.SVC_API_KEY}` });
    expect(thief.requests[0]?.body).toContain('It’s mine');
  });

  it.each([
    ['run', ['run', '--', process.execPath, '-e', 'require("fs").writeFileSync("ran", "")']],
    ['sync', ['sync']],
    ['findings', ['findings']],
    ['verify', ['verify', '019b0000-0000-7000-8000-000000000001']],
    ['attach', ['attach', '019b0000-0000-7000-8000-000000000001', 'report.json']],
  ])('receives nothing from %s', async (_, args) => {
    recordOrigin();
    writeReport(workspace, 1);
    const thief = await startHostileService();
    commitAddress(thief.url);
    expect((await agentWithoutAddress(args)).code).toBe(1);
    expect(thief.requests).toEqual([]);
    expect(existsSync(join(workspace, 'ran'))).toBe(false);
  });

  it('does not receive the key under another host name of the same machine', async () => {
    recordOrigin();
    commitAddress(server.url.replace('127.0.0.1', 'localhost'));
    const run = await agentWithoutAddress(['findings']);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('--trust-host http://localhost:')]);
  });

  it('receives nothing before the user has trusted it, also on a machine without state', async () => {
    writeReport(workspace, 1);
    const thief = await startHostileService();
    commitAddress(thief.url);
    for (const args of [['report', 'report.json'], ['findings', '--quiet'], ['sync']]) {
      const run = await agentWithoutAddress(args);
      expect([run.code, run.err]).toEqual([1, expect.stringContaining(`set SVC_TRUSTED_HOSTS=${thief.url}`)]);
      expect(run.err).toContain(`${workspace}/.svc/config.yml of this workspace names ${thief.url}`);
    }
    expect(thief.requests).toEqual([]);
    // A list of other hosts, and the host without its scheme and port, trust something else.
    const host = new URL(thief.url).hostname;
    for (const list of ['acme.example.com', host, `https://${thief.host}`, thief.host])
      expect((await agentWithoutAddress(['findings'], { SVC_TRUSTED_HOSTS: list })).code, list).toBe(1);
    expect((await agentWithoutAddress(['findings', '--trust-host', thief.host])).code).toBe(1);
    expect(thief.requests).toEqual([]);
  });

  it('is used once it is trusted, and afterwards because the key belongs to it', async () => {
    commitAddress(server.url);
    expect(await agentWithoutAddress(['findings'], { SVC_TRUSTED_HOSTS: server.url })).toMatchObject({
      code: 0,
      err: 'No findings.\n',
    });
    expect(await agentWithoutAddress(['findings'])).toMatchObject({ code: 0, err: 'No findings.\n' });
  });

  it('is refused with the user’s own address beside it', async () => {
    configure('reporting:\n  base_url: https://own.example.com/\n');
    commitAddress(server.url);
    const run = await agentWithoutAddress(['findings', '--quiet']);
    expect([run.code, run.err]).toEqual([
      1,
      expect.stringContaining('Your own configuration has https://own.example.com.'),
    ]);
  });

  it('is confirmed at a terminal', async () => {
    const questions: string[] = [];
    const answer = (isConfirmed: boolean) =>
      checkWorkspaceDestination({
        baseUrl: 'https://acme.example.com',
        source: '.svc/config.yml',
        apiKey: `svc_${'0'.repeat(32)}`,
        userBaseUrl: undefined,
        trustedHosts: undefined,
        allowedHosts: [],
        state: openState(userEnv()),
        confirm: async (question) => {
          questions.push(question);
          return isConfirmed;
        },
        commandWith: (host) => `--trust-host ${host}`,
      });
    await answer(true);
    expect(questions).toEqual([expect.stringContaining('to https://acme.example.com.')]);
    await expect(answer(false)).rejects.toThrow('--trust-host acme.example.com');
  });

  it.each([
    ['y\n', {}, true],
    ['YES\n', {}, true],
    ['\n', {}, false],
    ['no\n', {}, false],
    // Ctrl-D
    ['', {}, false],
    ['y\n', { CI: 'true' }, false],
  ])('takes %j at a terminal with %j as %s', async (typed, env, isConfirmed) => {
    const terminal = (name: 'stdin' | 'stderr', stream: PassThrough) =>
      vi.spyOn(process, name, 'get').mockReturnValue(Object.assign(stream, { isTTY: true }) as never);
    terminal('stdin', new PassThrough().end(typed));
    terminal('stderr', new PassThrough());
    vi.stubEnv('CI', 'CI' in env ? env.CI : '');
    try {
      expect(await confirmAtTerminal('Trust it?')).toBe(isConfirmed);
    } finally {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    }
  });

  it('does so also with a configuration file where the user’s own one is, if HOME is in the checkout', async () => {
    const thief = await startHostileService();
    commit('.git/HEAD', 'ref: refs/heads/main\n');
    const content = `reporting:\n  base_url: ${thief.url}\n  trusted_hosts: ['${new URL(thief.url).origin}']\n`;
    commit('.config/svc/config.yml', content);
    commit('scan/report.json', readFileSync(writeReport(workspace, 1), 'utf8'));
    for (const changed of [{ HOME: workspace }, { XDG_CONFIG_HOME: join(workspace, '.config') }]) {
      for (const args of [
        ['report', 'report.json'],
        ['report', '--workspace', 'scan', 'scan/report.json'],
      ]) {
        const run = await agentWithoutAddress(args, changed);
        expect([run.code, run.err]).toEqual([1, expect.stringContaining('which you have not trusted yet')]);
        expect(run.err).toContain('“trusted_hosts” is ignored here');
      }
    }
    expect(thief.requests).toEqual([]);
  });

  it.each(['user:pass@', 'user@', ':pass@'])(
    'and credentials %s before the host is refused',
    async (credentials) => {
      await deliverOnce();
      commitAddress(server.url.replace('//', `//${credentials}`));
      const run = await agentWithoutAddress(['findings']);
      expect([run.code, run.err]).toEqual([1, expect.stringContaining('is not the address of a service')]);
    },
  );

  it('and a path is used if the origin is trusted, because keys belong to origins', async () => {
    const service = await startHostileService();
    bindKey(openState(userEnv()), project.env.SVC_API_KEY ?? '', service.url);
    commitAddress(`${service.url}/elsewhere`);
    await agentWithoutAddress(['findings']);
    expect(service.requests.map(({ path }) => path)).toEqual([
      expect.stringMatching(/^\/elsewhere\/api\/v1\//),
    ]);
  });

  it('may repeat the address of the user file', async () => {
    recordOrigin();
    const other = await startHostileService();
    configure(`reporting:\n  base_url: ${other.url}\n`);
    commitAddress(other.url);
    expect(await agentWithoutAddress(['findings'])).toMatchObject({ code: 0, err: 'No findings.\n' });
    expect(other.requests).toHaveLength(1);
  });

  it('does not restrict a flag or the environment, which belong to the user', async () => {
    recordOrigin();
    const second = await startHostileService();
    expect((await agent(['findings'], { SVC_BASE_URL: second.url })).code).toBe(0);
    expect((await agent(['findings', '--report-base-url', second.url])).code).toBe(0);
    expect(second.requests).toHaveLength(2);
    // The key now belongs to both origins.
    commitAddress(second.url);
    expect(await agentWithoutAddress(['findings'])).toMatchObject({ code: 0, err: 'No findings.\n' });
  });
});

describe('the record of a key', () => {
  const records = () => filesBelow(join(home, 'state')).filter((path) => path.includes('/keys/'));

  it('contains its hash and the origin, readable for the user only', async () => {
    await deliverOnce();
    expect(records()).toHaveLength(1);
    for (const path of filesBelow(join(home, 'state'))) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path, 'utf8')).not.toContain(project.env.SVC_API_KEY);
    }
    expect(statSync(join(home, 'state/svc-agent')).mode & 0o777).toBe(0o700);
    const record = JSON.parse(readFileSync(records()[0] ?? '', 'utf8'));
    expect(record).toMatchObject({ key_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), origin: server.url });
  });

  it('does not exist before the service has accepted the key', async () => {
    const run = await agent(['findings'], { SVC_API_KEY: `svc_${'0'.repeat(32)}` });
    expect(run.code).toBe(1);
    expect(existsSync(join(home, 'state'))).toBe(false);
  });

  it('is complete if several agents write it at once', async () => {
    const services = await Promise.all([1, 2, 3].map(() => startHostileService()));
    const runs = services.flatMap(({ url }) =>
      [url, url].map((url) => agentProcess(['findings'], { SVC_BASE_URL: url })),
    );
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(runs.map(() => 0));
    const origins = records().map((path) => JSON.parse(readFileSync(path, 'utf8')).origin);
    expect(origins.sort()).toEqual(services.map(({ url }) => url).sort());
    expect(filesBelow(join(home, 'state')).filter((path) => path.endsWith('.tmp'))).toEqual([]);
    const shown = JSON.parse((await agent(['config', 'show', '--json'])).out);
    expect(shown.key_belongs_to.value.split(', ')).toEqual(origins);
  });

  it('does not count as missing if it is damaged', async () => {
    recordOrigin();
    const thief = await startHostileService();
    commitAddress(thief.url);
    writeFileSync(records()[0] ?? '', '{"key_sha');
    const run = await agentWithoutAddress(['findings']);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('cannot be read')]);
    expect(thief.requests).toEqual([]);
  });

  it('is not required for a delivery: an unwritable state directory causes a warning', async () => {
    writeFileSync(join(home, 'state'), 'a file');
    const run = await agent(['report', writeReport(workspace, 1)]);
    expect([run.code, run.err]).toEqual([0, expect.stringContaining('Set XDG_STATE_HOME')]);
  });

  it.each([
    [{ HOME: '/home/a' }, 'linux', '/home/a/.local/state/svc-agent'],
    [{ HOME: '/home/a', XDG_STATE_HOME: '/var/a' }, 'linux', '/var/a/svc-agent'],
    [{ HOME: '/home/a', XDG_STATE_HOME: 'in/the/repository' }, 'linux', '/home/a/.local/state/svc-agent'],
    [{ HOME: '/home/a', LOCALAPPDATA: '/users/a/local' }, 'win32', '/users/a/local/svc-agent'],
  ])('is stored for %j on %s in %s', (env, system, directory) => {
    expect(stateDirectory(env, system)).toBe(directory);
  });
});

describe('trusted hosts', () => {
  it.each([
    ['a flag', ['--report-base-url'], undefined, undefined, undefined],
    ['the environment', [], 'SVC_BASE_URL', undefined, undefined],
    ['the repository', [], undefined, 'workspace', undefined],
    ['the user’s own file', [], undefined, undefined, 'user'],
  ])('protect the key from another host in %s', async (_, flags, variable, workspaceFile, userFile) => {
    const thief = await startHostileService();
    const file = `reporting:\n  base_url: ${thief.url}\n`;
    if (workspaceFile) commitAddress(thief.url);
    if (userFile) configure(file);
    const run = await agentWithoutAddress(['findings', ...flags.flatMap((flag) => [flag, thief.url])], {
      SVC_TRUSTED_HOSTS: 'acme.example.com',
      ...(variable && { [variable]: thief.url }),
    });
    expect([run.code, run.err]).toEqual([
      1,
      expect.stringContaining('is not one of the hosts that SVC_TRUSTED_HOSTS allows'),
    ]);
    expect(thief.requests).toEqual([]);
  });

  it('are not widened by --trust-host', async () => {
    const thief = await startHostileService();
    commitAddress(thief.url);
    const env = { SVC_TRUSTED_HOSTS: 'acme.example.com' };
    expect((await agentWithoutAddress(['findings', '--trust-host', thief.host], env)).code).toBe(1);
    expect(thief.requests).toEqual([]);
  });

  it('are read from the user file, not from a repository', async () => {
    const thief = await startHostileService();
    commit('.svc/config.yml', `reporting:\n  base_url: ${thief.url}\n  trusted_hosts: [${thief.host}]\n`);
    configure('reporting:\n  trusted_hosts:\n    - acme.example.com\n');
    const refused = await agentWithoutAddress(['findings']);
    expect(refused.err).toContain('“trusted_hosts” is ignored');
    expect(refused.err).toContain(`is not one of the hosts that ${home}/.config/svc/config.yml allows`);
    expect(thief.requests).toEqual([]);
    configure(`trusted_hosts: ${thief.url}\n`);
    // The user lists the host, so the only warning is about the ignored setting.
    expect((await agentWithoutAddress(['findings'])).err.match(/^warning/gm)).toHaveLength(1);
    expect(thief.requests).toHaveLength(1);
  });

  it('also apply to the reporter library', () => {
    const options = {
      apiKey: project.env.SVC_API_KEY ?? '',
      project: 'web-shop',
      persona: 'killua',
    } as const;
    process.env.SVC_TRUSTED_HOSTS = 'acme.example.com';
    try {
      expect(() => createReporter({ ...options, workspace, baseUrl: 'https://evil.example.com' })).toThrow(
        'is not one of the hosts that SVC_TRUSTED_HOSTS allows',
      );
      expect(existsSync(join(workspace, '.svc'))).toBe(false);
    } finally {
      delete process.env.SVC_TRUSTED_HOSTS;
    }
  });

  it.each([
    ['acme.example.com', 'https://acme.example.com', true],
    ['ACME.example.com.', 'https://acme.example.com:8443', true],
    ['acme.example.com:443', 'https://acme.example.com', true],
    ['acme.example.com:443', 'http://acme.example.com', false],
    ['acme.example.com', 'https://acme.example.com.evil.com', false],
    ['acme.example.com', 'https://x.acme.example.com', false],
    ['*.example.com', 'https://a.b.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['*.example.com', 'https://evilexample.com', false],
    ['*.example.com:8443', 'https://a.example.com:8443', true],
    ['*.example.com:8443', 'https://a.example.com', false],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['bücher.example', 'https://xn--bcher-kva.example', true],
    ['a.example, b.example', 'https://b.example', true],
    ['http://acme.example.com:8080', 'http://acme.example.com:8080', true],
    ['http://acme.example.com', 'https://acme.example.com', false],
  ])('%s match %s: %s', (list, url, matches) => {
    expect(matchesHost(new URL(url), parseHosts(list, 'SVC_TRUSTED_HOSTS'))).toBe(matches);
  });

  it.each([
    ['acme.example.com', 'https://acme.example.com', true],
    ['acme.example.com', 'http://acme.example.com', false],
    ['acme.example.com', 'https://acme.example.com:8443', false],
    ['acme.example.com:8443', 'https://acme.example.com:8443', true],
    ['acme.example.com:8443', 'http://acme.example.com:8443', false],
    ['http://localhost:8080', 'http://localhost:8080', true],
    ['HTTP://localhost', 'http://localhost', true],
    ['http://localhost', 'http://localhost:8080', false],
    ['https://*.example.com', 'https://a.example.com', true],
    ['*.example.com', 'http://a.example.com', false],
  ])('%s let a workspace send the key to %s: %s', (list, url, matches) => {
    expect(matchesTrusted(new URL(url), parseHosts(list, 'SVC_TRUSTED_HOSTS'))).toBe(matches);
  });

  it.each(['*', '*.com', '*.127.0.0.1', 'ftp://acme.example.com', 'a b', 'a/b', 'user@host', ',', 'a:b'])(
    'reject %j, which would restrict nothing or something else',
    (list) => expect(() => parseHosts(list, 'SVC_TRUSTED_HOSTS')).toThrow('SVC_TRUSTED_HOSTS'),
  );
});

describe('a service that redirects', () => {
  const redirect = (status: number, to: () => string) => (_: unknown, response: ServerResponse) => {
    response.writeHead(status, { location: to() });
    response.end();
  };

  it.each([
    [301, 'GET'],
    [307, 'GET'],
    [301, 'POST'],
    [302, 'POST'],
    [303, 'POST'],
    [307, 'POST'],
    [308, 'POST'],
  ])('with %i receives neither key nor findings of a %s at another origin', async (status, method) => {
    const thief = await startHostileService();
    const service = await startHostileService(redirect(status, () => `${thief.url}/api/v1/agent/scans`));
    const args = method === 'GET' ? ['findings'] : ['report', writeReport(workspace, 1)];
    const run = await agent(args, { SVC_BASE_URL: service.url });
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(`redirects to ${thief.url}`)]);
    expect(service.requests).toHaveLength(1);
    expect(thief.requests).toEqual([]);
  });

  it('loses no findings', async () => {
    const service = await startHostileService(redirect(307, () => 'https://thief.example.com'));
    await agent(['report', writeReport(workspace, 1)], { SVC_BASE_URL: service.url });
    expect((await agent(['sync', '--accept-journal', 'all'])).code).toBe(0);
    expect(await project.findings()).toHaveLength(1);
  });

  it.each([301, 307])('with %i from https to http receives nothing on the same host', async (status) => {
    const certificate = createCertificate();
    const ca = join(home, 'ca.pem');
    writeFileSync(ca, certificate.cert);
    const plain = await startHostileService();
    const secure = await startHostileService(
      redirect(status, () => plain.url),
      certificate,
    );
    const run = await agentProcess(['report', writeReport(workspace, 1)], {
      SVC_BASE_URL: secure.url,
      NODE_EXTRA_CA_CERTS: ca,
    });
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(`redirects to ${plain.url}`)]);
    expect(secure.requests).toHaveLength(1);
    expect(plain.requests).toEqual([]);
  });

  it('is followed within its origin, up to a limit', async () => {
    let hops = 1;
    const service = await startHostileService(({ path }, response) => {
      if (hops-- > 0) return redirect(307, () => `${path}?again`)({}, response);
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end('{"success":true,"request_id":"req_0","result":[]}');
    });
    expect((await agent(['findings'], { SVC_BASE_URL: service.url })).code).toBe(0);
    hops = 100;
    expect((await agent(['findings'], { SVC_BASE_URL: service.url })).code).toBe(1);
    expect(service.requests.length).toBeLessThan(10);
  });
});

describe('a service that sends a bomb', () => {
  it('does not fill the memory: a response of 1 MB that unpacks to 1 GB', async () => {
    const block = gzipSync(Buffer.alloc(64 * 1_048_576, ' '));
    const service = await startHostileService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      for (let i = 0; i < 16; i++) response.write(block);
      response.end();
    });
    const run = await agent(['findings'], { SVC_BASE_URL: service.url });
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('a response of more than 256 MiB')]);
  });
});

describe('a repository with symbolic links', () => {
  /** A directory of the user outside the repository, such as ~/.ssh. */
  let outside: string;
  const before = new Map<string, string>();

  beforeEach(() => {
    outside = createWorkspace();
    writeFileSync(join(outside, 'id_rsa'), 'reporting:\n  base_url: https://secret.example.com\n');
    before.clear();
    for (const path of filesBelow(outside)) before.set(path, readFileSync(path, 'utf8'));
  });

  const expectUntouched = () => {
    expect(filesBelow(outside).sort()).toEqual([...before.keys()].sort());
    for (const [path, content] of before) expect(readFileSync(path, 'utf8')).toBe(content);
    expect(readdirSync(outside).sort()).toEqual(
      [...before.keys()].map((path) => path.slice(outside.length + 1)).sort(),
    );
  };

  const link = (target: string, path: string) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    symlinkSync(target, join(workspace, path));
  };

  it.each([
    ['.svc', () => link(outside, '.svc')],
    ['.svc/scans', () => link(outside, '.svc/scans')],
  ])('at %s: the agent writes nothing to the target', async (path, make) => {
    make();
    const run = await agent(['report', writeReport(workspace, 1)]);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(`${path} is a symbolic link`)]);
    expectUntouched();
    expect(await project.findings()).toEqual([]);
  });

  it('at .svc/config.yml: the agent does not read the target', async () => {
    link(join(outside, 'id_rsa'), '.svc/config.yml');
    const run = await agentWithoutAddress(['config', 'show']);
    expect([run.code, run.out]).toEqual([1, '']);
    expect(run.err).toContain('is a symbolic link');
    expect(run.err).not.toContain('secret.example.com');
  });

  it('at .svc/.gitignore: the agent does not create the target', async () => {
    link(join(outside, 'authorized_keys'), '.svc/.gitignore');
    expect((await agent(['report', writeReport(workspace, 1)])).code).toBe(0);
    expectUntouched();
  });

  it.each([
    ['a journal', (name: string) => link(join(outside, name), `.svc/scans/${name}`)],
    ['its directory', () => link(outside, '.svc/scans')],
  ])('at %s: the agent neither delivers nor writes the target', async (_, make) => {
    const name = '019b0000-0000-7000-8000-000000000001.jsonl';
    const content = foreignJournal();
    writeFileSync(join(outside, name), content);
    before.set(join(outside, name), content);
    make(name);
    await agent(['sync']);
    await agent(['sync', '--accept-journal', 'all']);
    expectUntouched();
    expect(await project.findings()).toEqual([]);
  });

  it('at the lock of a journal: the agent neither reads nor removes the target', async () => {
    commit('.svc/scans/x.jsonl', foreignJournal());
    link(join(outside, 'id_rsa'), '.svc/scans/x.jsonl.lock');
    expect((await agent(['sync', '--accept-journal', 'all'])).code).toBe(0);
    expectUntouched();
  });

  it('created during a scan: the agent writes nothing to the target', () => {
    const scan = {
      scan_id: '019b0000-0000-7000-8000-000000000001',
      persona: 'killua',
      project: 'x',
    } as const;
    const journal = createJournal(
      workspace,
      scan,
      openState({ XDG_STATE_HOME: join(home, 'state') }),
      server.url,
      () => {},
    );
    // A scanner that runs code of the repository could do this.
    renameSync(join(workspace, '.svc'), join(workspace, 'moved'));
    link(outside, '.svc');
    mkdirSync(join(outside, 'scans'));
    journal.add([{ fingerprint: 'f', title: 't', severity: 'low', description: 'd' }]);
    try {
      journal.close();
    } catch (error) {
      // On systems without /proc, the agent cannot access the moved directory.
      expect(String(error)).toContain('was replaced');
    }
    rmSync(join(outside, 'scans'), { recursive: true });
    expectUntouched();
    expect(readFileSync(join(workspace, `moved/scans/${scan.scan_id}.jsonl`), 'utf8')).toContain(
      '"fingerprint":"f"',
    );
  });
});

/** A journal written by another user's agent. */
function foreignJournal(fingerprint = 'planted'): string {
  const scan_id = crypto.randomUUID();
  const finding = { fingerprint, title: 'Planted', severity: 'critical', description: 'Not from this user.' };
  const project_id = project.env.SVC_PROJECT_ID;
  return [
    { type: 'scan', scan: { scan_id, project_id, persona: 'killua', target: {} } },
    { type: 'finding', n: 0, finding },
    { type: 'end', end: { status: 'completed' } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

describe('a journal', () => {
  const scansFolder = () => join(workspace, '.svc/scans');
  const titles = async () => (await project.findings()).map(({ title }: { title: string }) => title);

  /** Creates a journal with undelivered findings. @returns its path */
  async function createUndelivered(count = 1): Promise<string> {
    const report = writeReport(workspace, count);
    expect((await agent(['report', report], { SVC_API_KEY: `svc_${'0'.repeat(32)}` })).code).toBe(1);
    const [name = ''] = readdirSync(scansFolder()).filter((name) => name.endsWith('.jsonl'));
    return join(scansFolder(), name);
  }

  it('from a repository is not delivered unless the user accepts it', async () => {
    commit('.svc/scans/019b0000-0000-7000-8000-000000000001.jsonl', foreignJournal());
    const run = await agent(['sync']);
    expect(run.code).toBe(3);
    expect(run.err).toContain('you did not write it on this machine');
    expect(await project.findings()).toEqual([]);
    await runSuggestedCommand(run.err, {});
    expect(await titles()).toEqual(['Planted']);
    expect((await agent(['sync'])).err).toBe('Nothing to deliver.\n');
  });

  it('for one service is not delivered to another one, or to another organization, unless the user says so', async () => {
    const path = await createUndelivered();
    const other = await startHostileService((_, response) => response.writeHead(401).end('{}'));
    for (const [changed, destination] of [
      [{ SVC_BASE_URL: other.url }, `${other.url} (organization ${project.env.SVC_ORG})`],
      [{ SVC_BASE_URL: `${server.url}/other` }, `${server.url}/other (organization ${project.env.SVC_ORG})`],
      [{ SVC_ORG: 'other' }, `${server.url} (organization other)`],
    ] as const) {
      const run = await agent(['sync'], changed);
      expect([run.code, run.err]).toEqual([
        3,
        `warning: ${path} is skipped: it is for ${server.url} (organization ${project.env.SVC_ORG}). To deliver its 1 finding to ${destination} instead, run: ${/node .*$/m.exec(run.err)?.[0]}\n`,
      ]);
      expect(run.err).toContain(`sync --accept-journal ${path}`);
    }
    expect(other.requests).toEqual([]);
    expect((await agent(['sync'])).code).toBe(0);
    expect(await project.findings()).toHaveLength(1);
  });

  it('of the user is delivered from its original path only', async () => {
    const path = await createUndelivered();
    const copy = createWorkspace();
    cpSync(join(workspace, '.svc'), join(copy, '.svc'), { recursive: true });
    const elsewhere = await agent(['sync', '--workspace', copy]);
    expect([elsewhere.code, elsewhere.err]).toEqual([3, expect.stringContaining('is skipped')]);
    const otherMachine = await agent(['sync'], { XDG_STATE_HOME: join(home, 'other') });
    expect([otherMachine.code, otherMachine.err]).toEqual([
      3,
      expect.stringContaining(`--accept-journal ${path}`),
    ]);
    expect(await project.findings()).toEqual([]);
    expect((await agent(['sync'])).code).toBe(0);
    expect(await project.findings()).toHaveLength(1);
  });

  it('that was delivered is not delivered again if the repository contains an earlier state of it', async () => {
    const path = await createUndelivered();
    const early = readFileSync(path);
    expect((await agent(['sync'])).code).toBe(0);
    writeFileSync(path, early);
    expect((await agent(['sync'])).code).toBe(3);
    expect((await project.findings())[0]).toMatchObject({ seen_count: 1 });
  });

  it('of the user is delivered without lines that others added', async () => {
    const path = await createUndelivered();
    const [, planted = ''] = foreignJournal().split('\n');
    const [first = '', own = '', ...rest] = readFileSync(path, 'utf8').split('\n');
    const changed = own.replace('Something is wrong', 'Nothing is wrong');
    expect(changed).not.toBe(own);
    writeFileSync(path, [first, own, ...rest].join('\n'));
    appendFileSync(
      path,
      `${planted.replace('"n":0', '"n":7')}\n${changed}\n{"type":"delivered","n":0,"id":"x"}\n`,
    );
    const run = await agent(['sync']);
    expect(run.err).toContain('3 lines skipped, because this agent did not write them');
    expect(await project.findings()).toMatchObject([
      { source: 'bandit', description: expect.stringContaining('Something') },
    ]);
  });

  it('is not accepted if others could have written its record', async () => {
    const path = await createUndelivered();
    const [record = ''] = filesBelow(join(home, 'state')).filter((file) => file.includes('/journals/'));
    // A checkout creates files with this mode.
    const content = readFileSync(record);
    rmSync(record);
    writeFileSync(record, content, { mode: 0o644 });
    expect((await agent(['sync'])).err).toContain(`${path} is skipped`);
    expect(await project.findings()).toEqual([]);
  });

  it('that was delivered has no record', async () => {
    await deliverOnce();
    expect(filesBelow(join(home, 'state')).filter((file) => file.includes('/journals/'))).toEqual([]);
  });

  it('must exist to be accepted', async () => {
    const run = await agent(['sync', '--accept-journal', '.svc/scans/none.jsonl']);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('is not a journal in')]);
  });
});

describe('text from servers and reports', () => {
  const ATTACK = '\x1b]0;owned\x07\x1b[2J\x9b31m\u202Etxt.\x07\r\n::add-mask::x\n##vso[task.setvariable]y';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
  const DANGEROUS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^\s*::|##\w*\[/m;

  it('is printed without terminal control sequences and CI commands: a refusal', async () => {
    const service = await startHostileService((_, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      const error = { type: 'permission_error', code: 'denied', ref: 'E60001', message: `No.${ATTACK}` };
      response.end(
        JSON.stringify({
          success: false,
          request_id: 'req_0',
          errors: [{ ...error, details: [null, { field: ATTACK, message: ATTACK }] }],
        }),
      );
    });
    for (const args of [['findings'], ['report', writeReport(workspace, 1)], ['verify', 'x']]) {
      const { err } = await agent(args, { SVC_BASE_URL: service.url });
      expect(err).toContain('No.');
      expect(err).not.toMatch(DANGEROUS);
    }
  });

  it('is printed safely in a list of findings, and JSON keeps the value', async () => {
    const service = await startHostileService((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const finding = { id: ATTACK, severity: 'high', status: 'open', title: `Title${ATTACK}` };
      response.end(JSON.stringify({ success: true, request_id: 'req_0', result: [finding, finding] }));
    });
    const { out } = await agent(['findings'], { SVC_BASE_URL: service.url });
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(out).not.toMatch(DANGEROUS);
    const json = await agent(['findings', '--json'], { SVC_BASE_URL: service.url });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
    expect(json.out.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
    expect(JSON.parse(json.out)[0].title).toBe(`Title${ATTACK}`);
  });

  it('is printed safely from a report, a file name and a configuration key', async () => {
    const report = writeReport(workspace, 1, () => ({
      issue_text: `Title${ATTACK}`,
      filename: `src/${ATTACK}.py`,
    }));
    const shown = await agent(['report', report, '--dry-run']);
    expect(shown.out).toContain('Title');
    expect(shown.out + shown.err).not.toMatch(DANGEROUS);
    const missing = await agent(['report', `none${ATTACK}.json`]);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('cannot be read')]);
    expect(missing.err).not.toMatch(DANGEROUS);
    commit('.svc/config.yml', `${JSON.stringify(ATTACK)}: 1\n`);
    const configured = await agent(['config', 'show']);
    expect(configured.err).toContain('is not a known setting');
    expect(configured.err).not.toMatch(DANGEROUS);
  });

  it.each([
    ['plain text, also 漢字, é and 😀', 'plain text, also 漢字, é and 😀'],
    ['\x1b[1;31mred\x1b[0m', 'red'],
    ['\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['\x9d0;title\x9cx', 'x'],
    ['\x1bPdevice\x1b\\x', 'x'],
    ['a\x1b]never ended', 'a ]never ended'],
    ['a\tb\x00c\x7fd', 'a b c d'],
    ['line\r\nline', 'line\nline'],
    ['over\rwritten', 'over written'],
    ['\u202Egnp.exe', 'gnp.exe'],
    ['::warning::x', ': :warning::x'],
    ['std::vector', 'std::vector'],
  ])('%j is printed as %j', (text, shown) => expect(printable(text)).toBe(shown));

  it('cannot start a new line in oneLine and printableJson', () => {
    expect(oneLine('a\r\nb\nc')).toBe('a b c');
    expect(printableJson({ a: '\x9b\u2028\u202e' })).toBe('{"a":"\\u009b\\u2028\\u202e"}');
  });

  it('is sanitized in linear time: quadratic time would take minutes', () => {
    for (const part of ['\x1b[', '\x1b]', '\x9d', '\x1b', ' ', '#', ':', '\n', '\x1b[1;', '\x1b]a']) {
      expect(oneLine(part.repeat(200_000)).length).toBeLessThan(2_000_000);
    }
  });
});

describe('a scanner that run starts', () => {
  it('receives no secrets in its environment', async () => {
    const script = `
      require('fs').writeFileSync('env.json', JSON.stringify(process.env));
      process.stdout.write(require('fs').readFileSync('report.json'));`;
    writeReport(workspace, 1);
    const key = project.env.SVC_API_KEY ?? '';
    const secrets = { SVC_ENCRYPTION_KEY: 'secret of the service', CI_HEADER: `Bearer ${key}` };
    const args = ['run', '--', process.execPath, '-e', script];
    const run = await agentProcess(args, { ...secrets, LANG: 'C.UTF-8' });
    expect(run.code).toBe(0);
    const text = readFileSync(join(workspace, 'env.json'), 'utf8');
    expect(text).not.toContain(key);
    expect(text).not.toContain('secret of the service');
    expect(JSON.parse(text)).toMatchObject({
      HOME: home,
      LANG: 'C.UTF-8',
      SVC_PROJECT_ID: project.env.SVC_PROJECT_ID,
    });
    expect(await project.findings()).toHaveLength(1);
    const dry = await agent(['run', '--dry-run', ...args.slice(1)]);
    expect(dry.code).toBe(0);
    expect(readFileSync(join(workspace, 'env.json'), 'utf8')).not.toContain(key);
  });
});
