import { execFile, spawn } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, createOrg } from '../tests/support/api/client.ts';
import { openSite, type Site } from '../tests/support/scenario/site.ts';

/*
 * Packs what is committed, in a clone of it, and looks at what became of it: the files in the tarball; and the server,
 * the agent, the administrators' command and the library as somebody has them who installs it, with an empty npm cache.
 * The tarball is put into the checkout.
 */

const run = promisify(execFile);
const START_MS = 120_000;

const NEEDED = [
  ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'docs/architecture.md', '.env.example'],
  ...[
    'dist/server.js',
    'dist/argon2-thread.mjs',
    'dist/admin.js',
    'dist/agent/reporter.js',
    'dist/client/index.js',
    'dist/types/client/index.d.ts',
    'dist/types/agent/reporter.d.ts',
  ],
  ...['dist/public/index.html', 'dist/public/assets/svc-agent.mjs', 'dist/THIRD-PARTY-NOTICES.txt'],
  'dist/public/assets/svc-agent.mjs.sha256',
];
const ALLOWED = /^(dist\/|docs\/[\w/-]+\.(md|png|svg)$|[A-Z]+(\.md)?$|package\.json$|\.env\.example$)/;
const NEVER =
  /(^|\/)(tests?|fixtures|soak|bench|data|node_modules|\.svc|\.env)(\/|$)|\.(test\.\w+|pem|key|log|jsonl)$/;
// But the token that the API's description has for an example.
const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bsvc_(?!5f0c1f4b)[0-9a-f]{32}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
];

const CONSUMER = `
import { createReporter } from 'svc-findings/agent';
const reporter = createReporter({ baseUrl: 'http://127.0.0.1:9', apiKey: 'x', project: 'p', persona: 'killua' });
const id: string = reporter.scanId;
// @ts-expect-error no such persona
createReporter({ baseUrl: 'http://127.0.0.1:9', apiKey: '', project: '', persona: 'nobody' });
if (id.length !== 36) throw new Error(id);
`;

const site = await openSite();
let failed = false;
try {
  const { tarball, files } = await pack(site);
  const installed = await install(site, tarball);
  await lookAtFiles(files, installed.dir);
  await tryServer(installed);
  await tryLibrary(installed);
  await copyFile(tarball, join(site.root, tarball.slice(tarball.lastIndexOf('/') + 1)));
} catch (error) {
  const { stack, stderr } = error as Error & { stderr?: string };
  process.stderr.write(`${stderr ?? ''}${stack}\n`);
  failed = true;
}
await site.close();
process.exit(failed ? 1 : 0);

function check(is: unknown, what: string): void {
  if (!is) throw new Error(`not so: ${what}`);
  site.say(`  ok  ${what}`);
}

interface Packed {
  tarball: string;
  files: string[];
}

/** Packs a clone, which holds nothing that is not committed. */
async function pack({ root, workDir, say }: Site): Promise<Packed> {
  const clone = join(workDir, 'clone');
  await run('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone]);
  const { stdout: commit } = await run('git', ['log', '-1', '--format=%h %s'], { cwd: clone });
  say(`packing ${commit.trim()}`);
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: clone });
  const args = ['run', '--silent', 'package', '--', '--json', '--silent'];
  const { stdout } = await run('npm', args, { cwd: clone, maxBuffer: 2 ** 26 });
  // Messages of the build come before.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as {
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  if (!packed) throw new Error(`npm run package said ${stdout}`);
  say(`${packed.filename}: ${packed.files.length} files, ${(packed.size / 2 ** 20).toFixed(1)} MiB`);
  return { tarball: join(clone, packed.filename), files: packed.files.map(({ path }) => path) };
}

interface Installed {
  /** The folder it was installed in. */
  home: string;
  /** The package in there. */
  dir: string;
  env: NodeJS.ProcessEnv;
}

/** Installs it where nothing is, with a cache that holds nothing. */
async function install({ workDir, say }: Site, tarball: string): Promise<Installed> {
  const home = join(workDir, 'home');
  await mkdir(home);
  const { DATABASE_URL: _, ...inherited } = process.env;
  const env = {
    ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !/^(npm_|SVC_)/.test(name))),
    npm_config_cache: join(workDir, 'cache'),
    npm_config_update_notifier: 'false',
  };
  await writeFile(join(home, 'package.json'), '{"private":true,"type":"module"}');
  const began = Date.now();
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', tarball], {
    cwd: home,
    env,
  });
  const { stdout } = await run('du', ['-sm', join(home, 'node_modules')]);
  say(`installed in ${Math.round((Date.now() - began) / 1000)} s, ${stdout.split('\t')[0]} MiB`);
  return { home, dir: join(home, 'node_modules/svc-findings'), env };
}

async function lookAtFiles(files: string[], dir: string): Promise<void> {
  const missing = NEEDED.filter((name) => !files.includes(name));
  check(missing.length === 0, `nothing is missing ${missing}`);
  const strange = files.filter((name) => !ALLOWED.test(name) || NEVER.test(name));
  check(strange.length === 0, `nothing is in it that does not belong there ${strange}`);
  const here = [site.root, site.workDir, homedir()].filter((path) => path.length > 5);
  const telling: string[] = [];
  for (const name of files.filter((name) => !/\.(png|gz|br|woff2)$/.test(name))) {
    const text = await readFile(join(dir, name), 'utf8');
    if (SECRETS.some((secret) => secret.test(text)) || here.some((path) => text.includes(path)))
      telling.push(name);
  }
  check(telling.length === 0, `no file tells a secret, or a path of this machine ${telling}`);
}

/** Tests the server that `npx svc-findings` starts, with an agent and an administrator. */
async function tryServer({ home, env }: Installed): Promise<void> {
  const child = spawn('npx', ['svc-findings'], {
    cwd: home,
    env: { ...env, SVC_PORT: '0', SVC_HOST: '127.0.0.1', LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // npx itself ends at once; the server behind it holds the pipe until it has stopped.
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let running = true;
  void ended.then(() => {
    running = false;
  });
  let said = '';
  const signal = () => running && child.pid && process.kill(-child.pid, 'SIGTERM');
  site.onClose(async () => {
    signal();
    await ended;
  });
  const url = await new Promise<string>((listening, failed) => {
    child.stdout.on('data', (data) => {
      said += data;
      const port = /"listening",.*"url":"[^"]*:(\d+)"/.exec(said)?.[1];
      if (port) listening(`http://127.0.0.1:${port}`);
    });
    void ended.then(() => failed(new Error(`the server ended\n${said}`)));
    setTimeout(() => failed(new Error(`the server does not listen\n${said}`)), START_MS).unref();
  });
  check((await fetch(`${url}/healthz`)).ok, 'npx svc-findings serves, with the embedded database');
  const page = await (await fetch(`${url}/o/acme/findings`)).text();
  const [, script = ''] = /<script [^>]*src="([^"]*)"/.exec(page) ?? [];
  check((await fetch(url + script)).ok, 'the web UI is there');

  const api = createClient(fetch, url);
  const org = await createOrg(api, 'acme');
  await cp(join(site.root, 'tests/fixtures/semgrep.json'), join(home, 'semgrep.json'));
  const asAgent = {
    ...env,
    SVC_BASE_URL: url,
    SVC_ORG: 'acme',
    SVC_PROJECT_ID: 'web-shop',
    SVC_API_KEY: org.token,
  };
  await run('npx', ['svc-agent', 'report', 'semgrep.json'], { cwd: home, env: asAgent });
  const { result: findings } = await api.get('/findings', org.asOwner);
  check(findings.length > 0, 'npx svc-agent reports');
  const orgs = await run('npx', ['svc-findings-admin', 'orgs', 'list'], { cwd: home, env });
  check(/\bacme\b/.test(orgs.stdout), 'npx svc-findings-admin lists the organizations');

  signal();
  await ended;
  check(said.trimEnd().endsWith('"message":"stopped"}'), 'SIGTERM stops it in order');
}

/** The library, as an agent of one's own has it: what it exports, and its types. */
async function tryLibrary({ home }: Installed): Promise<void> {
  await writeFile(join(home, 'consumer.ts'), CONSUMER);
  const tsc = join(site.root, 'node_modules/typescript-native/bin/tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
  await run(process.execPath, [tsc, ...options, 'consumer.ts'], { cwd: home });
  const tsx = join(site.root, 'node_modules/tsx/dist/cli.mjs');
  await run(process.execPath, [tsx, 'consumer.ts'], { cwd: home });
  check(true, 'svc-findings/agent can be imported, and has types');
}
