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
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createJournal } from '../../agent/journal.ts';
import { createReporter } from '../../agent/reporter.ts';
import { oneLine, printable, printableJson } from '../../agent/text.ts';
import { matchesHost, parseHosts } from '../../agent/trust/hosts.ts';
import { bindKey } from '../../agent/trust/keys.ts';
import { openState, stateDirectory } from '../../agent/trust/state.ts';
import { type AgentRun, createWorkspace, runAgent, writeReport } from '../support/agent/agent.ts';
import { runAgentHere } from '../support/agent/agent-here.ts';
import { type AgentProject, createAgentProject } from '../support/agent/agent-project.ts';
import { createOrg, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { createCertificate } from '../support/hostile/certificate.ts';
import { startHostileService } from '../support/hostile/service.ts';
import { afterSuite } from '../support/run/suite.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

/*
 * The agent in a repository whose content an attacker has written, and with a service that lies. Each attack shows what
 * the attacker gains when it works.
 */

let server: RunningServer;
let org: TestOrg;
let project: AgentProject;
/** The repository. */
let workspace: string;
/** The user's home, outside the repository. */
let home: string;

beforeAll(async () => {
  const database = await createDatabase();
  afterSuite(database.drop);
  afterSuite(stopServers);
  server = await startServer({ DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests only' });
  org = await createOrg(server.api);
});

beforeEach(async () => {
  project = await createAgentProject(server, org);
  workspace = project.workspace;
  home = createWorkspace();
});

const userEnv = () => ({ ...project.env, HOME: home, XDG_STATE_HOME: join(home, 'state') });

type Changed = Record<string, string | undefined>;

/** Runs the agent as the user, whose address of the service comes from the environment unless it is taken away. */
const agent = (args: string[], changed: Changed = {}): Promise<AgentRun> =>
  runAgentHere(args, { cwd: workspace, env: { ...userEnv(), ...changed } });

/** The same as a process of its own. */
const agentProcess = (args: string[], changed: Changed = {}): Promise<AgentRun> =>
  runAgent(args, { cwd: workspace, env: { ...userEnv(), ...changed } });

/** The same without an address in the environment: the files decide. */
const byFiles = (args: string[], changed: Changed = {}) =>
  agent(args, { SVC_BASE_URL: undefined, ...changed });

/** The repository brings a file. */
function commit(path: string, content: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
}

const commitAddress = (url: string) => commit('.svc/config.yml', `reporting:\n  base_url: ${url}\n`);

function configure(content: string): void {
  mkdirSync(join(home, '.config/svc'), { recursive: true });
  writeFileSync(join(home, '.config/svc/config.yml'), content);
}

/** The key delivers once, so the agent knows where it belongs. */
async function deliverOnce(): Promise<void> {
  expect((await agent(['report', writeReport(workspace, 1)])).code).toBe(0);
}

/** The same record without a delivery. */
const bind = () => bindKey(openState(userEnv()), project.env.SVC_API_KEY ?? '', server.url);

/** Runs a command as the message of the agent gives it. */
async function runCommandOf(err: string, env: Record<string, string | undefined>): Promise<void> {
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
  it('does not get a key that belongs to the user’s service', async () => {
    await deliverOnce();
    const thief = await startHostileService();
    commitAddress(thief.url);
    const args = ['report', writeReport(workspace, 1), '--name', 'It’s mine'];
    const run = await agentProcess(args, { SVC_BASE_URL: undefined });
    expect([run.code, run.out]).toEqual([1, '']);
    expect(thief.requests).toEqual([]);
    expect(run.err).toContain(`names ${thief.url}, but this API key belongs to ${server.url}.`);
    // The command that the message gives is the one that was given, and works.
    await runCommandOf(run.err, { SVC_BASE_URL: undefined });
    expect(thief.requests[0]).toMatchObject({ authorization: `Bearer ${project.env.SVC_API_KEY}` });
    expect(thief.requests[0]?.body).toContain('It’s mine');
  });

  it.each([
    ['run', ['run', '--', process.execPath, '-e', 'require("fs").writeFileSync("ran", "")']],
    ['sync', ['sync']],
    ['findings', ['findings']],
    ['verify', ['verify', '019b0000-0000-7000-8000-000000000001']],
    ['attach', ['attach', '019b0000-0000-7000-8000-000000000001', 'report.json']],
  ])('gets nothing from %s', async (_, args) => {
    bind();
    writeReport(workspace, 1);
    const thief = await startHostileService();
    commitAddress(thief.url);
    expect((await byFiles(args)).code).toBe(1);
    expect(thief.requests).toEqual([]);
    expect(existsSync(join(workspace, 'ran'))).toBe(false);
  });

  it('gets no key by another name or port of the same machine', async () => {
    bind();
    commitAddress(server.url.replace('127.0.0.1', 'localhost'));
    const run = await byFiles(['findings']);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('--trust-host localhost:')]);
  });

  it('is warned about when the key has not been used yet, until it has been delivered to', async () => {
    commitAddress(server.url);
    const first = await byFiles(['findings']);
    expect(first.code).toBe(0);
    expect(first.err).toContain('The API key and the findings go to an address that this workspace names.');
    expect(first.err).toContain(`workspace:               ${server.url} (${workspace}/.svc/config.yml)`);
    expect(first.err).toContain('your own configuration:  names no address');
    expect((await byFiles(['findings'])).err).toBe('No findings.\n');
  });

  it('is warned about with the user’s own address beside it', async () => {
    configure('reporting:\n  base_url: https://own.example.com/\n');
    commitAddress(server.url);
    const run = await byFiles(['findings', '--quiet']);
    expect(run.err).toContain(`workspace:               ${server.url} (`);
    expect(run.err).toContain(
      `your own configuration:  https://own.example.com (${home}/.config/svc/config.yml)`,
    );
  });

  it('may name the address that the user’s own file names', async () => {
    bind();
    const other = await startHostileService();
    configure(`reporting:\n  base_url: ${other.url}\n`);
    commitAddress(other.url);
    expect(await byFiles(['findings'])).toMatchObject({ code: 0, err: 'No findings.\n' });
    expect(other.requests).toHaveLength(1);
  });

  it('is not in the way of a flag or the environment, which are the user’s word', async () => {
    bind();
    const second = await startHostileService();
    expect((await agent(['findings'], { SVC_BASE_URL: second.url })).code).toBe(0);
    expect((await agent(['findings', '--report-base-url', second.url])).code).toBe(0);
    expect(second.requests).toHaveLength(2);
    // The key belongs to both now.
    commitAddress(second.url);
    expect(await byFiles(['findings'])).toMatchObject({ code: 0, err: 'No findings.\n' });
  });
});

describe('what the agent remembers of a key', () => {
  const records = () => filesBelow(join(home, 'state')).filter((path) => path.includes('/keys/'));

  it('is its hash and the origin, in files for the user alone', async () => {
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

  it('is nothing before the service has accepted the key', async () => {
    const run = await agent(['findings'], { SVC_API_KEY: `svc_${'0'.repeat(32)}` });
    expect(run.code).toBe(1);
    expect(existsSync(join(home, 'state'))).toBe(false);
  });

  it('is whole when several agents record it at once', async () => {
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

  it('does not count as nothing when it is damaged', async () => {
    bind();
    const thief = await startHostileService();
    commitAddress(thief.url);
    writeFileSync(records()[0] ?? '', '{"key_sha');
    const run = await byFiles(['findings']);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('cannot be read')]);
    expect(thief.requests).toEqual([]);
  });

  it('is not needed to deliver: a state directory that cannot be written is warned about', async () => {
    writeFileSync(join(home, 'state'), 'a file');
    const run = await agent(['report', writeReport(workspace, 1)]);
    expect([run.code, run.err]).toEqual([0, expect.stringContaining('Set XDG_STATE_HOME')]);
  });

  it.each([
    [{ HOME: '/home/a' }, 'linux', '/home/a/.local/state/svc-agent'],
    [{ HOME: '/home/a', XDG_STATE_HOME: '/var/a' }, 'linux', '/var/a/svc-agent'],
    [{ HOME: '/home/a', XDG_STATE_HOME: 'in/the/repository' }, 'linux', '/home/a/.local/state/svc-agent'],
    [{ HOME: '/home/a', LOCALAPPDATA: '/users/a/local' }, 'win32', '/users/a/local/svc-agent'],
  ])('is kept for %j on %s in %s', (env, system, directory) => {
    expect(stateDirectory(env, system)).toBe(directory);
  });
});

describe('trusted hosts', () => {
  it.each([
    ['a flag', ['--report-base-url'], undefined, undefined, undefined],
    ['the environment', [], 'SVC_BASE_URL', undefined, undefined],
    ['the repository', [], undefined, 'workspace', undefined],
    ['the user’s own file', [], undefined, undefined, 'user'],
  ])('keep the key from another host that %s names', async (_, flags, variable, ofWorkspace, ofUser) => {
    const thief = await startHostileService();
    const file = `reporting:\n  base_url: ${thief.url}\n`;
    if (ofWorkspace) commitAddress(thief.url);
    if (ofUser) configure(file);
    const run = await byFiles(['findings', ...flags.flatMap((flag) => [flag, thief.url])], {
      SVC_TRUSTED_HOSTS: 'acme.example.com',
      ...(variable && { [variable]: thief.url }),
    });
    expect([run.code, run.err]).toEqual([
      1,
      expect.stringContaining('is none of the hosts that SVC_TRUSTED_HOSTS allows'),
    ]);
    expect(thief.requests).toEqual([]);
  });

  it('are not widened by --trust-host', async () => {
    const thief = await startHostileService();
    commitAddress(thief.url);
    const env = { SVC_TRUSTED_HOSTS: 'acme.example.com' };
    expect((await byFiles(['findings', '--trust-host', thief.host], env)).code).toBe(1);
    expect(thief.requests).toEqual([]);
  });

  it('of the user’s own file count, those of a repository do not', async () => {
    const thief = await startHostileService();
    commit('.svc/config.yml', `reporting:\n  base_url: ${thief.url}\n  trusted_hosts: [${thief.host}]\n`);
    configure('reporting:\n  trusted_hosts:\n    - acme.example.com\n');
    const refused = await byFiles(['findings']);
    expect(refused.err).toContain('“trusted_hosts” is ignored');
    expect(refused.err).toContain(`is none of the hosts that ${home}/.config/svc/config.yml allows`);
    expect(thief.requests).toEqual([]);
    configure(`trusted_hosts: ${thief.host}\n`);
    // Named by the user, so nothing to warn about but the ignored setting.
    expect((await byFiles(['findings'])).err.match(/^warning/gm)).toHaveLength(1);
    expect(thief.requests).toHaveLength(1);
  });

  it('hold for agents of one’s own, too', () => {
    const options = {
      apiKey: project.env.SVC_API_KEY ?? '',
      project: 'web-shop',
      persona: 'killua',
    } as const;
    process.env.SVC_TRUSTED_HOSTS = 'acme.example.com';
    try {
      expect(() => createReporter({ ...options, workspace, baseUrl: 'https://evil.example.com' })).toThrow(
        'is none of the hosts that SVC_TRUSTED_HOSTS allows',
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
  ])('%s cover %s: %s', (list, url, matches) => {
    expect(matchesHost(new URL(url), parseHosts(list, 'SVC_TRUSTED_HOSTS'))).toBe(matches);
  });

  it.each(['*', '*.com', '*.127.0.0.1', 'https://acme.example.com', 'a b', 'a/b', 'user@host', ',', 'a:b'])(
    'refuse %j, which would not restrict what it seems to',
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
  ])('with %i gets neither key nor findings of a %s to another origin', async (status, method) => {
    const thief = await startHostileService();
    const service = await startHostileService(redirect(status, () => `${thief.url}/api/v1/agent/scans`));
    const args = method === 'GET' ? ['findings'] : ['report', writeReport(workspace, 1)];
    const run = await agent(args, { SVC_BASE_URL: service.url });
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(`redirects to ${thief.url}`)]);
    expect(service.requests).toHaveLength(1);
    expect(thief.requests).toEqual([]);
  });

  it('has lost no findings', async () => {
    const service = await startHostileService(redirect(307, () => 'https://thief.example.com'));
    await agent(['report', writeReport(workspace, 1)], { SVC_BASE_URL: service.url });
    expect((await agent(['sync'])).code).toBe(0);
    expect(await project.findings()).toHaveLength(1);
  });

  it.each([301, 307])('with %i gets nothing from https to http on the same host', async (status) => {
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

  it('is followed within its origin, but not for ever', async () => {
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

describe('a repository with symbolic links', () => {
  /** Stands for a directory of the user, such as ~/.ssh. */
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
  ])('at %s has nothing written where it points to', async (path, make) => {
    make();
    const run = await agent(['report', writeReport(workspace, 1)]);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(`${path} is a symbolic link`)]);
    expectUntouched();
    expect(await project.findings()).toEqual([]);
  });

  it('at .svc/config.yml has nothing read where it points to', async () => {
    link(join(outside, 'id_rsa'), '.svc/config.yml');
    const run = await byFiles(['config', 'show']);
    expect([run.code, run.out]).toEqual([1, '']);
    expect(run.err).toContain('is a symbolic link');
    expect(run.err).not.toContain('secret.example.com');
  });

  it('at .svc/.gitignore has no file made where it points to', async () => {
    link(join(outside, 'authorized_keys'), '.svc/.gitignore');
    expect((await agent(['report', writeReport(workspace, 1)])).code).toBe(0);
    expectUntouched();
  });

  it.each([
    ['a journal', (name: string) => link(join(outside, name), `.svc/scans/${name}`)],
    ['its directory', () => link(outside, '.svc/scans')],
  ])('as %s has nothing delivered or written where it points to', async (_, make) => {
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

  it('as the lock of a journal has nothing read or removed where it points to', async () => {
    commit('.svc/scans/x.jsonl', foreignJournal());
    link(join(outside, 'id_rsa'), '.svc/scans/x.jsonl.lock');
    expect((await agent(['sync', '--accept-journal', 'all'])).code).toBe(0);
    expectUntouched();
  });

  it('made while a scan runs has nothing written where they point to', () => {
    const scan = {
      scan_id: '019b0000-0000-7000-8000-000000000001',
      persona: 'killua',
      project: 'x',
    } as const;
    const journal = createJournal(
      workspace,
      scan,
      openState({ XDG_STATE_HOME: join(home, 'state') }),
      () => {},
    );
    // A scanner that runs code of the repository does this.
    renameSync(join(workspace, '.svc'), join(workspace, 'moved'));
    link(outside, '.svc');
    mkdirSync(join(outside, 'scans'));
    journal.add([{ fingerprint: 'f', title: 't', severity: 'low', description: 'd' }]);
    try {
      journal.close();
    } catch (error) {
      // Where the system cannot reach the old directory any more.
      expect(String(error)).toContain('was replaced');
    }
    rmSync(join(outside, 'scans'), { recursive: true });
    expectUntouched();
    expect(readFileSync(join(workspace, `moved/scans/${scan.scan_id}.jsonl`), 'utf8')).toContain(
      '"fingerprint":"f"',
    );
  });
});

/** A journal as somebody else's agent writes it. */
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

  /** Leaves findings behind that were not delivered, and returns the path of their journal. */
  async function leaveBehind(count = 1): Promise<string> {
    const away = await startHostileService((_, response) => response.writeHead(401).end('{}'));
    const report = writeReport(workspace, count);
    expect((await agent(['report', report], { SVC_BASE_URL: away.url })).code).toBe(1);
    const [name = ''] = readdirSync(scansFolder()).filter((name) => name.endsWith('.jsonl'));
    return join(scansFolder(), name);
  }

  it('that a repository brings is not delivered, unless the user says so', async () => {
    commit('.svc/scans/019b0000-0000-7000-8000-000000000001.jsonl', foreignJournal());
    const run = await agent(['sync']);
    expect(run.code).toBe(3);
    expect(run.err).toContain('you did not write it on this machine');
    expect(await project.findings()).toEqual([]);
    await runCommandOf(run.err, {});
    expect(await titles()).toEqual(['Planted']);
    expect((await agent(['sync'])).err).toBe('There is nothing to deliver.\n');
  });

  it('of the user is delivered from where it was written, and nowhere else', async () => {
    const path = await leaveBehind();
    const copy = createWorkspace();
    cpSync(join(workspace, '.svc'), join(copy, '.svc'), { recursive: true });
    const elsewhere = await agent(['sync', '--workspace', copy]);
    expect([elsewhere.code, elsewhere.err]).toEqual([3, expect.stringContaining('is left out')]);
    const otherMachine = await agent(['sync'], { XDG_STATE_HOME: join(home, 'other') });
    expect([otherMachine.code, otherMachine.err]).toEqual([
      3,
      expect.stringContaining(`--accept-journal ${path}`),
    ]);
    expect(await project.findings()).toEqual([]);
    expect((await agent(['sync'])).code).toBe(0);
    expect(await project.findings()).toHaveLength(1);
  });

  it('that was delivered is not delivered again when the repository brings an earlier state of it', async () => {
    const path = await leaveBehind();
    const early = readFileSync(path);
    expect((await agent(['sync'])).code).toBe(0);
    writeFileSync(path, early);
    expect((await agent(['sync'])).code).toBe(3);
    expect((await project.findings())[0]).toMatchObject({ seen_count: 1 });
  });

  it('of the user delivers no lines that others have put into it', async () => {
    const path = await leaveBehind();
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
    expect(run.err).toContain('3 lines are left out: they were not written by this agent');
    expect(await project.findings()).toMatchObject([
      { source: 'bandit', description: expect.stringContaining('Something') },
    ]);
  });

  it('whose record others could have written is not the user’s', async () => {
    const path = await leaveBehind();
    const [record = ''] = filesBelow(join(home, 'state')).filter((file) => file.includes('/journals/'));
    // As a checkout writes files.
    const content = readFileSync(record);
    rmSync(record);
    writeFileSync(record, content, { mode: 0o644 });
    expect((await agent(['sync'])).err).toContain(`${path} is left out`);
    expect(await project.findings()).toEqual([]);
  });

  it('that is delivered leaves no record', async () => {
    await deliverOnce();
    expect(filesBelow(join(home, 'state')).filter((file) => file.includes('/journals/'))).toEqual([]);
  });

  it('has to exist to be accepted', async () => {
    const run = await agent(['sync', '--accept-journal', '.svc/scans/none.jsonl']);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('is no journal in')]);
  });
});

describe('text of servers and reports', () => {
  const ATTACK = '\x1b]0;owned\x07\x1b[2J\x9b31m\u202Etxt.\x07\r\n::add-mask::x\n##vso[task.setvariable]y';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
  const OBEYED = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^\s*::|##\w*\[/m;

  it('of a refusal is printed without what a terminal or a CI log obeys', async () => {
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
      expect(err).not.toMatch(OBEYED);
    }
  });

  it('of findings is printed the same way, and JSON keeps its value', async () => {
    const service = await startHostileService((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const finding = { id: ATTACK, severity: 'high', status: 'open', title: `Title${ATTACK}` };
      response.end(JSON.stringify({ success: true, request_id: 'req_0', result: [finding, finding] }));
    });
    const { out } = await agent(['findings'], { SVC_BASE_URL: service.url });
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(out).not.toMatch(OBEYED);
    const json = await agent(['findings', '--json'], { SVC_BASE_URL: service.url });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
    expect(json.out.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/);
    expect(JSON.parse(json.out)[0].title).toBe(`Title${ATTACK}`);
  });

  it('of a report and of the names of files is printed the same way', async () => {
    const report = writeReport(workspace, 1, () => ({
      issue_text: `Title${ATTACK}`,
      filename: `src/${ATTACK}.py`,
    }));
    const shown = await agent(['report', report, '--dry-run']);
    expect(shown.out).toContain('Title');
    expect(shown.out + shown.err).not.toMatch(OBEYED);
    const missing = await agent(['report', `none${ATTACK}.json`]);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('cannot be read')]);
    expect(missing.err).not.toMatch(OBEYED);
    commit('.svc/config.yml', `${JSON.stringify(ATTACK)}: 1\n`);
    const configured = await agent(['config', 'show']);
    expect(configured.err).toContain('is no setting');
    expect(configured.err).not.toMatch(OBEYED);
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

  it('on one line stays on one line', () => {
    expect(oneLine('a\r\nb\nc')).toBe('a b c');
    expect(printableJson({ a: '\x9b\u2028\u202e' })).toBe('{"a":"\\u009b\\u2028\\u202e"}');
  });

  it('is made safe in linear time: quadratic time would be minutes', () => {
    for (const part of ['\x1b[', '\x1b]', '\x9d', '\x1b', ' ', '#', ':', '\n', '\x1b[1;', '\x1b]a']) {
      expect(oneLine(part.repeat(200_000)).length).toBeLessThan(2_000_000);
    }
  });
});

describe('a scanner that run starts', () => {
  it('finds no secret in its environment', async () => {
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
