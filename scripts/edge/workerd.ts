import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { parse } from 'smol-toml';
import { buildWorker, ROOT } from './build.ts';

/** For requests under way, as a server has them. */
const STOP_MS = 10_000;

export interface WorkerdOptions {
  /** The worker, relative to the checkout. */
  entry?: string;
  /** `host:port`; port 0 is any that is free. */
  address: string;
  /** Bindings that are text. */
  variables: Record<string, string>;
  /** The header that says whether a request came by `http` or `https`; none says `http`. */
  schemeHeader?: string;
  /** Bindings that are JSON. */
  values?: Record<string, unknown>;
  /** Takes what it writes, the worker's log above all. */
  onLine(line: string): void;
}

/** workerd does not run; it has said why. */
export class StartError extends Error {}

/** A workerd with the worker in it. */
export interface Workerd {
  port: number;
  /** Does what Cloudflare's clock does, at a time. */
  runCron(time?: Date): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when it has ended. */
  ended: Promise<void>;
}

/** The program of this platform, from the packages of `tools/`. */
function programOf(): string {
  try {
    return createRequire(join(ROOT, 'tools/package.json'))('workerd').default;
  } catch (error) {
    throw new StartError('workerd is not installed: run `node tools/install.mjs`', { cause: error });
  }
}

/** Builds the worker and starts it, with the compatibility that wrangler.toml asks for. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const program = programOf();
  const dir = await mkdtemp(join(tmpdir(), 'svc-edge-'));
  await Promise.all([
    buildWorker({ outdir: dir, ...(options.entry && { entry: options.entry }) }),
    build({
      absWorkingDir: ROOT,
      entryPoints: ['scripts/edge/local.ts'],
      outdir: dir,
      bundle: true,
      format: 'esm',
      logLevel: 'warning',
    }),
    configOf(options).then((config) => writeFile(join(dir, 'config.capnp'), config, { mode: 0o600 })),
  ]);

  const child = spawn(program, ['serve', 'config.capnp', '--experimental', '--control-fd=3'], {
    cwd: dir,
    env: { ...process.env, ...options.variables },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // A terminal's Ctrl-C is ours: we let it finish what it does.
    detached: true,
  });
  const ended = once(child, 'exit').then(() => rm(dir, { recursive: true, force: true }));
  const [out, err, control] = child.stdio.slice(1) as Readable[];
  for (const stream of [out, err] as Readable[]) {
    createInterface({ input: stream }).on('line', options.onLine);
  }
  const ports = await listening(control as Readable, ended);
  return {
    port: ports.get('http') ?? 0,
    async runCron(time = new Date()) {
      const { ok, status } = await fetch(`http://127.0.0.1:${ports.get('cron')}/${time.getTime()}`);
      if (!ok) throw new Error(`the cron trigger failed: ${status}`);
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended.finally(() => clearTimeout(late));
    },
    ended,
  };
}

const SOCKETS = ['http', 'cron'];

/** @returns the ports it listens on, by socket */
async function listening(control: Readable, ended: Promise<void>): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: control }).on('line', (line) => {
      const { event, socket, port } = JSON.parse(line);
      if (event === 'listen') ports.set(socket, port);
      if (ports.size === SOCKETS.length) resolve();
    });
  });
  await Promise.race([ready, ended]);
  if (ports.size < SOCKETS.length) throw new StartError('workerd has not started');
  return ports;
}

/** workerd's configuration: the worker, what stands in for the rest of Cloudflare, and the network. */
async function configOf({ address, variables, values = {}, schemeHeader }: WorkerdOptions): Promise<string> {
  const wrangler = parse(await readFile(join(ROOT, 'wrangler.toml'), 'utf8'));
  const flags = wrangler.compatibility_flags as string[];
  const text = (value: unknown) => JSON.stringify(value);
  const scheme = schemeHeader ? `forwardedProtoHeader = ${text(schemeHeader)}` : '';
  const bindings = [
    ...Object.keys(variables).map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
    ...Object.entries(values).map(([name, value]) => `(name = ${text(name)}, json = ${text(text(value))})`),
    '(name = "ASSETS", service = (name = "local", entrypoint = "assets"))',
  ];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "local", worker = .local),
    (name = "files", disk = (path = ${text(join(ROOT, 'dist/public'))})),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [
    (name = "http", address = ${text(address)}, http = (${scheme}), service = "worker"),
    (name = "cron", address = "127.0.0.1:0", http = (), service = (name = "local", entrypoint = "cron")),
  ],
);
const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "argon2.wasm", wasm = embed "argon2.wasm"),
  ],
  compatibilityDate = ${text(wrangler.compatibility_date)},
  compatibilityFlags = [${flags.map(text)}],
  bindings = [${bindings.join(', ')}],
);
const local :Workerd.Worker = (
  modules = [(name = "local.js", esModule = embed "local.js")],
  compatibilityDate = ${text(wrangler.compatibility_date)},
  compatibilityFlags = ["service_binding_extra_handlers"],
  bindings = [(name = "FILES", service = "files"), (name = "WORKER", service = "worker")],
);
`;
}
