import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findPackage, prepareBinaries } from '../../db/embedded/binaries.ts';
import { openCluster } from '../../db/embedded/cluster.ts';
import { EmbeddedUnavailable, startEmbedded } from '../../db/embedded/embedded.ts';
import { isRunning } from '../support/server/proc.ts';

const onLinux = process.platform === 'linux';
const asRoot = process.geteuid?.() === 0;

let dir: string;
let dataDir: string;
let template: string;
let script: string;
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'embedded-'));
  await (await startEmbedded({ dataDir: template, log })).stop();
  script = await buildChild();
});
afterAll(() => rm(template, { recursive: true, force: true, maxRetries: 5 }));

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'embedded-'));
  dataDir = join(dir, 'data');
});

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
  await killPostmaster();
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
});

const log = { debug() {}, info() {}, warn() {} };

/** Spares a test the making of a database, which takes longer than most of what is tested. */
async function haveDatabase(): Promise<void> {
  // It keeps owners and modes, which `cp()` does not.
  if (process.platform === 'win32') return;
  const home = join(dataDir, 'postgres');
  await mkdir(home, { recursive: true });
  const made = ['18', '18.password'].map((name) => join(template, 'postgres', name));
  await promisify(execFile)('cp', ['-a', ...made, home]);
}

/** A start in this process. */
async function start(settings?: Record<string, string>) {
  const server = await startEmbedded({ dataDir, log, ...(settings && { settings }) });
  cleanUp.push(server.stop);
  return server;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EMBEDDED = new URL('../../db/embedded/embedded.ts', import.meta.url).href;
const CHILD = `
  import { startEmbedded } from './db/embedded/embedded.ts';
  const log = { debug() {}, info() {}, warn() {} };
  const server = await startEmbedded({ dataDir: process.argv[2], log });
  console.log(server.adminUrl);
  process.stdin.once('data', async () => {
    await server.stop();
    process.exit();
  });
`;

/** Bundles it once: to compile its modules in each process takes a second. */
async function buildChild(): Promise<string> {
  const outfile = join(template, 'child.mjs');
  await build({
    stdin: { contents: CHILD, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // The package with PostgreSQL is found from there.
    define: { 'import.meta.url': JSON.stringify(EMBEDDED) },
  });
  return outfile;
}

/** A start in a process of its own. */
async function startChild() {
  const child = spawn(process.execPath, [script, dataDir], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanUp.push(() => end(child, () => child.kill('SIGKILL')));
  const lines = createInterface({ input: child.stdout });
  const url = once(lines, 'line').then(([line]) => String(line));
  return {
    url,
    kill: () => end(child, () => child.kill('SIGKILL')),
    stop: () => end(child, () => child.stdin.write('stop\n')),
  };
}

async function end(child: ChildProcess, how: () => unknown) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  how();
  await exit;
}

async function query<T extends object>(url: string, text: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe<T[]>(text);
  } finally {
    await sql.end();
  }
}

/** The user PostgreSQL runs as, unless it is that of this process. */
const runUser = async () => (await openCluster(dataDir)).user;

const clusterDir = () => join(dataDir, 'postgres', '18');

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(clusterDir(), 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

async function killPostmaster() {
  const pid = await postmasterPid().catch(() => 0);
  if (!pid || !(await isRunning(pid))) return;
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await isRunning(pid)).toBe(false));
}

/** The postmasters at work in the cluster, whatever its lock file says; as far as the system shows. */
async function postmasters(): Promise<number[]> {
  const locked = await postmasterPid();
  const cluster = await stat(clusterDir());
  const visible = await stat(`/proc/${locked}/cwd`).catch(() => undefined);
  if (!visible) return (await isRunning(locked)) ? [locked] : [];
  const parents = new Map<number, number>();
  for (const pid of (await readdir('/proc')).map(Number).filter(Boolean)) {
    const cwd = await stat(`/proc/${pid}/cwd`).catch(() => undefined);
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (cwd?.ino !== cluster.ino || cwd.dev !== cluster.dev || !command.includes('\0-D\0')) continue;
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    parents.set(pid, Number(/\) \S (\d+)/.exec(state)?.[1]));
  }
  // The other processes of a server change their command line, but not before they run.
  return [...parents].filter(([, parent]) => !parents.has(parent)).map(([pid]) => pid);
}

describe('the role of the service', () => {
  const ROLE = `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
    from pg_roles where rolname = current_user`;

  test('is no superuser, and cannot reach beyond its schemas', async () => {
    const { url, adminUrl } = await start();
    expect(await query(url, ROLE)).toEqual([
      {
        rolname: 'svc_app',
        ...{ rolsuper: false, rolcreatedb: false, rolcreaterole: false },
        ...{ rolreplication: false, rolbypassrls: false },
      },
    ]);
    await query(adminUrl, 'create table public.secrets as select 42 as answer');
    for (const attack of [
      "copy (select 1) to program 'true'",
      "select pg_read_file('postgresql.auto.conf')",
      "alter system set log_statement = 'all'",
      'alter role svc_app superuser',
      "create role other login password 'x'",
      'set role svc',
      'create database other',
      'select answer from public.secrets',
      'select rolpassword from pg_authid',
    ]) {
      await expect(query(url, attack), attack).rejects.toMatchObject({ code: '42501' });
    }
    await query(url, 'create schema shared');
    await query(url, 'create schema org_0123456789abcdef0123456789abcdef');
    await query(url, 'create extension pg_trgm schema shared');
  });

  test('is given what a superuser made before there was the role, also when it was half given', async () => {
    await haveDatabase();
    const first = await start();
    const org = 'org_0123456789abcdef0123456789abcdef';
    for (const schema of ['shared', org]) {
      await query(first.adminUrl, `create schema ${schema}`);
      await query(first.adminUrl, `create table ${schema}.kept (id int primary key, at timestamptz)`);
      await query(first.adminUrl, `insert into ${schema}.kept values (1, now())`);
    }
    await query(first.adminUrl, 'create schema other');
    await query(first.adminUrl, 'alter schema shared owner to svc_app');
    await expect(query(first.url, `select id from ${org}.kept`)).rejects.toMatchObject({ code: '42501' });
    await first.stop();

    const { url, adminUrl } = await start();
    for (const schema of ['shared', org]) {
      expect(await query(url, `select id from ${schema}.kept`)).toEqual([{ id: 1 }]);
      await query(url, `alter table ${schema}.kept add column more text`);
      await query(url, `create index on ${schema}.kept (more)`);
    }
    expect(
      await query(
        adminUrl,
        "select nspowner::regrole::text as owner from pg_namespace where nspname = 'other'",
      ),
    ).toEqual([{ owner: 'svc' }]);
  });

  test('gets its password back when somebody changed it', async () => {
    await haveDatabase();
    const first = await start();
    await query(first.adminUrl, "alter role svc_app password 'lost' superuser");
    await expect(query(first.url, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    await first.stop();
    const { url } = await start();
    expect(await query(url, ROLE)).toMatchObject([{ rolsuper: false }]);
  });

  test('is made once by processes that start together', async () => {
    const servers = await Promise.all([start(), start(), start()]);
    for (const { url } of servers) expect(await query(url, ROLE)).toHaveLength(1);
  });
});

describe('startEmbedded', () => {
  test('makes a database that answers, and keeps to itself', async () => {
    const { adminUrl: url } = await start();
    const settings =
      'server_encoding TimeZone listen_addresses unix_socket_directories fsync io_method'.split(' ');
    const [row] = await query(
      url,
      `select ${settings.map((name) => `current_setting('${name}') as "${name}"`)}`,
    );
    expect(row).toEqual({
      server_encoding: 'UTF8',
      TimeZone: 'UTC',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'on',
      io_method: 'sync',
    });
    const [locale] = await query(
      url,
      "select datlocprovider, datlocale from pg_database where datname = 'postgres'",
    );
    expect(locale).toEqual({ datlocprovider: 'b', datlocale: 'C.UTF-8' });

    await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow('password');
    expect((await stat(join(dataDir, 'postgres', '18.password'))).mode & 0o777).toBe(0o600);
    expect((await stat(clusterDir())).mode & 0o777).toBe(0o700);
  });

  test('keeps data over a restart, and passes settings on', async () => {
    await haveDatabase();
    const first = await start();
    await query(first.adminUrl, 'create table kept as select 42 as answer');
    await first.stop();
    await expect(query(first.adminUrl, 'select 1')).rejects.toThrow();
    expect(existsSync(join(clusterDir(), 'postmaster.pid'))).toBe(false);

    const second = await start({ work_mem: '5MB' });
    expect(await query(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(await query(second.adminUrl, 'show work_mem')).toEqual([{ work_mem: '5MB' }]);
  });

  test('shares the server between processes that start at once; the last one to stop stops it', async () => {
    await haveDatabase();
    const [a, b] = [await startChild(), await startChild()];
    const [url, sameUrl] = await Promise.all([a.url, b.url]);
    expect(sameUrl).toBe(url);
    const third = await start();
    expect(third.adminUrl).toBe(url);
    expect(await postmasters()).toHaveLength(1);

    await a.stop();
    await third.stop();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await b.stop();
    await expect(query(url, 'select 1')).rejects.toThrow();
    const left = (await readdir(join(dataDir, 'postgres'))).filter((name) => !name.startsWith('reserve-'));
    expect(left.sort()).toEqual(['18', '18.password', 'postgres.log']);
  });

  test('goes on after its process was killed', async () => {
    await haveDatabase();
    const child = await startChild();
    const url = await child.url;
    await query(url, 'create table kept as select 42 as answer');
    const orphan = await postmasterPid();
    await child.kill();
    expect(await isRunning(orphan)).toBe(true);

    const next = await start();
    expect(next.adminUrl).toBe(url);
    expect(await query(next.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(await postmasters()).toEqual([orphan]);
    await next.stop();
    expect(await isRunning(orphan)).toBe(false);
  });

  test('goes on after its process was killed while it made the database', async () => {
    const child = await startChild();
    child.url.catch(() => {});
    const home = join(dataDir, 'postgres');
    const temporary = async () =>
      (await readdir(home).catch(() => [])).filter((name) => name.startsWith('tmp-'));
    await vi.waitFor(async () => expect(await temporary()).toHaveLength(1), { interval: 5 });
    await child.kill();

    const { adminUrl: url } = await start();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('removes what a process that died left unfinished, and nothing of one that may live', async () => {
    const home = join(dataDir, 'postgres');
    for (const name of ['tmp-old', 'tmp-new']) await mkdir(join(home, name, 'data'), { recursive: true });
    const longAgo = new Date(Date.now() - 60 * 60_000);
    await utimes(join(home, 'tmp-old'), longAgo, longAgo);
    await start();
    expect((await readdir(home)).filter((name) => name.startsWith('tmp-'))).toEqual(['tmp-new']);
  });

  // Both start it again; which of them does is a matter of chance.
  test('recovers after the server was killed', { repeats: 2 }, async () => {
    await haveDatabase();
    const first = await start();
    await query(first.adminUrl, 'create table kept as select 42 as answer');
    process.kill(await postmasterPid(), 'SIGKILL');

    const second = await start();
    expect(await query(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await first.stop();
    expect(await query(second.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await postmasters()).toHaveLength(1);
  });

  test('is not taken in by a lock file whose process id is another process’s by now', async () => {
    await haveDatabase();
    const first = await start();
    await query(first.adminUrl, 'create table kept as select 42 as answer');
    const lockFile = join(clusterDir(), 'postmaster.pid');
    process.kill(await postmasterPid(), 'SIGKILL');
    // The same user's: PostgreSQL itself ignores those of others.
    const user = await runUser();
    const unrelated = spawn('sleep', ['60'], {
      stdio: 'ignore',
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    cleanUp.push(() => end(unrelated, () => unrelated.kill()));
    await once(unrelated, 'spawn');
    await writeFile(lockFile, (await readFile(lockFile, 'utf8')).replace(/^\d+/, `${unrelated.pid}`));

    const second = await start();
    expect(await query(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(await postmasterPid()).not.toBe(unrelated.pid);
    expect(unrelated.exitCode).toBeNull();
  });

  test('does not join the server of the directory that its own was copied from', async () => {
    await haveDatabase();
    const original = await start();
    await query(original.adminUrl, 'create table kept as select 42 as answer; checkpoint');
    dataDir = join(dir, 'copy');
    await mkdir(dataDir);
    await promisify(execFile)('cp', ['-a', join(dir, 'data', 'postgres'), dataDir]);
    const copy = await start();
    expect(copy.adminUrl).not.toBe(original.adminUrl);
    await query(copy.adminUrl, 'drop table kept');
    expect(await query(original.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('takes its share again after the server had to disconnect everyone', async () => {
    await haveDatabase();
    const { adminUrl: url } = await start();
    const holders = "select pid from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted";
    const [before] = await query<{ pid: number }>(url, holders);
    expect(before).toBeDefined();
    await query(url, `select pg_terminate_backend(${before?.pid}, 5000)`);
    await vi.waitFor(async () => expect(await query(url, holders)).toHaveLength(1));
  });

  test('says why PostgreSQL does not start', async () => {
    await haveDatabase();
    const failure = start({ shared_buffers: 'plenty' });
    await expect(failure).rejects.toThrow(EmbeddedUnavailable);
    await expect(failure).rejects.toThrow('FATAL:  invalid value for parameter "shared_buffers": "plenty"');
  });

  test('says so when the password is lost or wrong', async () => {
    await haveDatabase();
    await (await start()).stop();
    const passwordFile = join(dataDir, 'postgres', '18.password');
    await writeFile(passwordFile, 'wrong\n');
    await expect(start()).rejects.toThrow("18.password does not contain this database's password");
    await vi.waitFor(() => expect(existsSync(join(clusterDir(), 'postmaster.pid'))).toBe(false));
    await rm(passwordFile);
    await expect(start()).rejects.toThrow('18.password is missing');
  });

  test('says in one line that a data directory cannot be used', async () => {
    await writeFile(join(dir, 'file'), '');
    dataDir = join(dir, 'file', 'data');
    const failure = start();
    await expect(failure).rejects.toThrow(EmbeddedUnavailable);
    await expect(failure).rejects.toThrow(/^cannot keep a database in [^\n]+ set SVC_DATA_DIR [^\n]+$/);
  });

  test('says in one line that there is no PostgreSQL for a platform', async () => {
    const { arch } = process;
    Object.defineProperty(process, 'arch', { value: 'mips' });
    cleanUp.push(() => Object.defineProperty(process, 'arch', { value: arch }));
    const failure = start();
    await expect(failure).rejects.toThrow(EmbeddedUnavailable);
    await expect(failure).rejects.toThrow(
      /^no embedded PostgreSQL is installed for \w+-mips: set DATABASE_URL [^\n]+$/,
    );
  });

  test.skipIf(!asRoot || !onLinux)('works for root where nobody else can go', async () => {
    await chmod(dir, 0o700);
    const { adminUrl: url } = await start();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const user = await runUser();
    expect((await stat(`/proc/${await postmasterPid()}`)).uid).toBe(user?.uid);
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(0);
  });

  test.skipIf(!asRoot || !onLinux)('runs for root as the user who owns the data', async () => {
    await haveDatabase();
    await promisify(execFile)('chown', ['-R', '1:1', clusterDir()]);
    const { adminUrl: url } = await start();
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await stat(`/proc/${await postmasterPid()}`)).uid).toBe(1);
    expect((await stat(join(clusterDir(), 'PG_VERSION'))).uid).toBe(1);
  });
});

describe('prepareBinaries', () => {
  /** The installed package as npm unpacks it: without symbolic links. */
  async function unpacked(parent: string) {
    const found = await findPackage();
    const copy = join(parent, 'package');
    await cp(found.dir, copy, {
      recursive: true,
      filter: async (path) => !(await lstat(path)).isSymbolicLink(),
    });
    return { ...found, dir: copy };
  }

  async function linksIn(packageDir: string): Promise<string[]> {
    const lib = join(packageDir, 'native', 'lib');
    const entries = await readdir(lib, { withFileTypes: true });
    return Promise.all(
      entries.filter((entry) => entry.isSymbolicLink()).map((entry) => readlink(join(lib, entry.name))),
    );
  }

  test.skipIf(!onLinux)('makes the links that the package’s install script would have made', async () => {
    await chmod(dir, 0o755);
    const found = await unpacked(dir);
    expect(await linksIn(found.dir)).toEqual([]);
    const { postgres } = await prepareBinaries(found.dir, await runUser(), []);
    expect(postgres).toBe(join(found.dir, 'native', 'bin', 'postgres'));
    expect(await linksIn(found.dir)).toEqual(await linksIn((await findPackage()).dir));
  });

  test.skipIf(!onLinux)('copies a package that cannot be completed or reached, once', async () => {
    await chmod(dir, 0o755);
    const closed = join(dir, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const found = await unpacked(closed);
    await chmod(join(found.dir, 'native', 'lib'), 0o555);
    cleanUp.push(() => chmod(join(found.dir, 'native', 'lib'), 0o755));

    const copies = [join(closed, 'not-a-directory', 'copy'), join(dir, 'open', 'copy')];
    await writeFile(join(closed, 'not-a-directory'), '');
    const user = await runUser();
    const binaries = await prepareBinaries(found.dir, user, copies);
    expect(binaries.postgres).toBe(join(dir, 'open', 'copy', 'native', 'bin', 'postgres'));
    const { ino } = await stat(binaries.postgres);
    expect(await prepareBinaries(found.dir, user, copies)).toEqual(binaries);
    expect((await stat(binaries.postgres)).ino).toBe(ino);
    expect(await readdir(join(dir, 'open'))).toEqual(['copy']);
  });

  test.skipIf(process.platform === 'win32')(
    'says in one line that the programs do not run here',
    async () => {
      await mkdir(join(dir, 'native', 'bin'), { recursive: true });
      // As good as a program for another C library.
      await writeFile(join(dir, 'native', 'bin', 'postgres'), '#!/lib/ld-missing.so.1\n', { mode: 0o755 });
      const failure = prepareBinaries(dir, undefined, []);
      await expect(failure).rejects.toThrow(EmbeddedUnavailable);
      await expect(failure).rejects.toThrow(
        /^the embedded PostgreSQL cannot run on this system [^\n]+ set DATABASE_URL [^\n]+$/,
      );
    },
  );
});
