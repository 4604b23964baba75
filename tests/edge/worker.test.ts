import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { sessions, users } from '../../db/schema/accounts.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { mailQueue } from '../../db/schema/platform.ts';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { endpoints } from '../../handlers/index.ts';
import { parseConfig } from '../../lib/config/parse.ts';
import { createEdgeHasher } from '../../lib/edge/argon2.ts';
import { createWorker } from '../../lib/edge/worker.ts';
import { createApp } from '../../lib/http/app.ts';
import { PAGE_HEADERS } from '../../lib/http/security-headers.ts';
import { createNodeHasher } from '../../lib/node/argon2.ts';
import { createServices } from '../../lib/node/services.ts';
import type { Services } from '../../lib/services.ts';
import { startWorkerd, type Workerd } from '../../scripts/edge/workerd.ts';
import {
  type Api,
  createApi,
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
} from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { createTables } from '../support/database/own-tables.ts';
import { afterSuite } from '../support/run/suite.ts';
import { plainHasher } from '../support/server/hasher.ts';
import { silentLog } from '../support/server/log.ts';

const JWT_SECRET = 'a secret for tests only';
const HOUR = 60 * 60 * 1000;

let edge: Workerd;
let url: string;
let api: Api;
let databaseUrl: string;
/** Over the same database, in this process, knowing the first migration only. */
let older: Services;
/** The recipients of mails. */
const mailed: string[] = [];
const lines: string[] = [];

beforeAll(async () => {
  const database = await createDatabase();
  afterSuite(database.drop);
  databaseUrl = database.url;
  const resend = createServer(async (request, response) => {
    mailed.push(...((await json(request)) as { to: string[] }).to);
    response.setHeader('content-type', 'application/json').end('{"id":"taken"}');
  });
  await once(resend.listen(0, '127.0.0.1'), 'listening');
  afterSuite(() => resend.close());
  edge = await startWorkerd({
    address: '127.0.0.1:0',
    variables: {
      JWT_SECRET,
      SVC_PUBLIC_URL: 'https://findings.example',
      SVC_OUTBOUND_ALLOW: '127.0.0.0/8',
      RESEND_API_KEY: 'for tests',
      RESEND_BASE_URL: `http://127.0.0.1:${(resend.address() as AddressInfo).port}`,
    },
    values: { HYPERDRIVE: { connectionString: database.url } },
    onLine: (line) => lines.push(line),
  });
  afterSuite(edge.stop);
  url = `http://127.0.0.1:${edge.port}`;
  api = createApi((request) => fetch(request), url);
  older = await createServices({
    config: parseConfig({ JWT_SECRET }),
    log: silentLog,
    databaseUrl: database.url,
    hasher: plainHasher,
    mailer: { name: 'none', send: async () => {} },
    orgMigrations: orgMigrations.slice(0, 1),
  });
  afterSuite(() => older.database.close());
});

async function argon2() {
  const file = createRequire(import.meta.url).resolve('@phi-ag/argon2/argon2.wasm');
  return WebAssembly.compile(await readFile(file));
}

describe('passwords', () => {
  it.each([PASSWORD, 'Pässwört1', '\u{1F40E}Aa1aaaa', 'Aa1\0aaaaa'])(
    'are the same on Node: %j',
    async (password) => {
      const hashers = [createEdgeHasher(await argon2()), createNodeHasher()];
      for (const one of hashers) {
        const hash = await one.hash(password);
        expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
        for (const other of hashers) {
          expect(await other.verify(hash, password)).toBe(true);
          expect(await other.verify(hash, password.slice(0, -1))).toBe(false);
          expect(await other.verify(hash, `${password}x`)).toBe(false);
        }
      }
    },
  );

  it('of nobody match nothing, and are no failure', async () => {
    const hasher = createEdgeHasher(await argon2());
    expect(await hasher.verify(undefined, PASSWORD)).toBe(false);
    await expect(hasher.verify('no hash', PASSWORD)).rejects.toThrow('Argon2 failed');
  });

  it('are hashed and checked in the worker', async () => {
    const email = `${randomUUID()}@example.com`;
    const answer = await api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Ada' } });
    const { user } = must(answer);
    const { db } = older.database;
    const [{ passwordHash } = { passwordHash: null }] = await db
      .select()
      .from(users)
      .where(eq(users.id, user.id));
    expect(await createNodeHasher().verify(passwordHash, PASSWORD)).toBe(true);
    expect((await api.post('/auth/login', { body: { email, password: PASSWORD } })).status).toBe(200);
    expect((await api.post('/auth/login', { body: { email, password: 'Wrong1horse' } })).status).toBe(401);
  });
});

describe('wrong logins at once', () => {
  const wrong = { email: 'nobody@example.com', password: 'Wrong1horse' };

  it('leave time for other requests in between', async () => {
    let answered = 0;
    const flood = Array.from({ length: 20 }, async () => {
      const { error } = await api.post('/auth/login', { body: wrong });
      answered++;
      return error;
    });
    await Promise.race(flood);
    expect((await api.get('/config/auth')).status).toBe(200);
    expect(answered).toBeLessThan(10);
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['auth_error/invalid_credentials']));
  });

  it('are refused when there are too many', async () => {
    const worker = createWorker({
      endpoints,
      page: '',
      hasher: createEdgeHasher(await argon2(), { slotMs: 1e12, maxWaitMs: 0 }),
      write: () => {},
    });
    const env = {
      JWT_SECRET,
      SVC_PUBLIC_URL: 'https://findings.example',
      HYPERDRIVE: { connectionString: databaseUrl },
    };
    const behind: Promise<unknown>[] = [];
    const client = createApi((request) =>
      worker.fetch(request, env as never, { waitUntil: (task) => behind.push(task) }),
    );
    const send = () => client.post('/auth/login', { body: wrong });
    const errors = (await Promise.all([send(), send()])).map(({ error }) => error);
    expect(errors.sort()).toEqual(['auth_error/invalid_credentials', 'server_error/unavailable']);
    await Promise.all(behind);
  });
});

describe('the web UI', () => {
  it.each([
    ['/assets/svc-agent.mjs', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/assets/svc-agent.mjs.sha256', 'application/octet-stream', 'no-cache'],
    ['/o/acme/findings', 'text/html; charset=utf-8', 'no-cache'],
    ['/assets/', 'text/html; charset=utf-8', 'no-cache'],
    ['/assets/nothing.js', 'text/html; charset=utf-8', 'no-cache'],
  ])('is served with the headers it has on Node: %s', async (path, type, caching) => {
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...PAGE_HEADERS,
      'content-type': type,
      'cache-control': caching,
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });

  it('has parts that are kept for ever', async () => {
    const page = await (await fetch(url)).text();
    const [, part = ''] = /<script type="module"[^>]*src="([^"]*)"/.exec(page) ?? [];
    const response = await fetch(url + part);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await response.text()).length).toBeGreaterThan(10_000);
  });
});

describe('a list', () => {
  it('does not end as if it were whole when its connection is lost', async () => {
    const org = await createOrg(api);
    await push(api, org, await createScan(api, org));
    const table = `"${orgSchemaName(org.id)}".findings`;
    const { sql } = older.database;
    await sql.unsafe(`
      insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(f) || jsonb_build_object(
        'id', '00000000-0000-7000-8000-' || lpad(i::text, 12, '0'), 'fingerprint', 'n' || i,
        'description', repeat('x', 50000)))).*
      from ${table} f, generate_series(1, 999) i`);
    const headers = { cookie: `svc_token=${org.owner.cookie}`, 'x-org-slug': org.slug };
    const response = await fetch(`${url}/api/v1/findings`, { headers });
    expect(response.status).toBe(200);
    const ended = await sql.unsafe(`
      select pg_terminate_backend(pid, 5000) as done from pg_stat_activity
      where datname = current_database() and query like 'fetch % from list'`);
    expect([...ended]).toEqual([{ done: true }]);
    await expect(response.text()).rejects.toThrow();
    expect(lines.join('\n')).toContain('"message":"list broken off"');
  });
});

describe('the start', () => {
  it('warns once that the service is reachable without strict mode, and what closes it', async () => {
    await fetch(`${url}/healthz`);
    const title = 'reachable from outside without strict mode';
    const events = lines.filter((line) => line.includes(title)).map((line) => JSON.parse(line));
    expect(events).toEqual([
      expect.objectContaining({ level: 'warn', message: title, reachable: ['it runs on the edge'] }),
    ]);
    const closers = events[0].open.map(({ close }: { close: string }) => close);
    expect(closers).toContain('SVC_AUTH_LIMITS=on');
  });
});

describe('the cron trigger', () => {
  it('sends mails that are due again', async () => {
    const { id, at } = older.nextId();
    const recipient = `${id}@example.com`;
    const mail = { id, recipient, subject: 'Hello', html: '<p>Hello', text: 'Hello' };
    await older.database.db.insert(mailQueue).values({ ...mail, nextAttemptAt: at, createdAt: at });
    await edge.runCron();
    expect(mailed).toContain(recipient);
    expect(await older.database.db.$count(mailQueue, eq(mailQueue.id, id))).toBe(0);
  });

  it('sends events that no request has sent, and requests send theirs', async () => {
    const received: string[] = [];
    const receiver = createServer(async (request, response) => {
      received.push(((await json(request)) as { type: string }).type);
      response.writeHead(204).end();
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    afterSuite(() => receiver.close());
    const org = await createOrg(api);
    const { sql } = older.database;
    await sql.unsafe(
      `insert into shared.destinations (id, org_id, kind, url, secret, events, enabled, created_at, updated_at)
        values (gen_random_uuid(), $1, 'webhook', $2, 'plain.whsec_AAAA', '{project.*}', true, now(), now())`,
      [org.id, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`],
    );
    // Tells this isolate who is followed.
    await edge.runCron();
    must(await api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { name: 'Renamed' } }));
    await expect.poll(() => received).toEqual(['project.changed']);
    // As if the request had been killed before it published its event.
    await sql.unsafe(`update "${orgSchemaName(org.id)}".events set seq = null, id = gen_random_uuid()`);
    await sql.unsafe("update shared.event_positions set check_at = now() - interval '1 minute'");
    await edge.runCron();
    await expect.poll(() => received.length).toBeGreaterThan(1);
  });

  it('migrates organizations that are behind', async () => {
    const first = createApp(older, endpoints);
    const api = createApi((request) => first.request(request));
    const { cookie } = await createUser(api);
    // Without projects, whose table has other columns by now.
    const org = must(await api.post('/orgs', { cookie, body: { name: 'Behind' } }));
    await createTables({ services: older }, org.slug);
    const version = async () => {
      const [row] = await older.database.db.select().from(orgs).where(eq(orgs.id, org.id));
      return row?.schemaVersion;
    };
    expect(await version()).toBe(1);
    await edge.runCron();
    expect(await version()).toBe(orgMigrations.length);
  });

  it('purges what has expired, once an hour', async () => {
    const { db } = older.database;
    const [user] = await db.select().from(users).limit(1);
    const old = new Date(Date.now() - 48 * HOUR);
    const id = randomUUID();
    const times = { createdAt: old, lastActiveAt: old, expiresAt: old };
    await db.insert(sessions).values({
      ...{
        id,
        userId: user?.id ?? '',
        ipAddress: '',
        userAgent: '',
        browser: '',
        os: '',
        deviceType: 'desktop',
      },
      ...times,
    });
    const left = () => db.$count(sessions, eq(sessions.id, id));
    await edge.runCron(new Date('2026-01-01T10:59:00Z'));
    expect(await left()).toBe(1);
    await edge.runCron(new Date('2026-01-01T11:00:00Z'));
    expect(await left()).toBe(0);
  });
});

describe('a worker whose configuration is wrong', () => {
  const VARIABLES = { JWT_SECRET, SVC_PUBLIC_URL: 'https://findings.example' };
  it.each([
    [{ JWT_SECRET: '' }, 'JWT_SECRET: must be set on the edge'],
    [{ SVC_PUBLIC_URL: '' }, 'SVC_PUBLIC_URL: must be set on the edge'],
    [{ SVC_SMTP_URL: 'smtp://localhost' }, 'SVC_SMTP_URL: mail by SMTP is not possible on the edge'],
    [{ DATABASE_MIGRATION_URL: 'postgres://owner@h/x' }, 'DATABASE_MIGRATION_URL: a worker does not migrate'],
    [
      { DATABASE_REPLICA_URL: 'postgres://standby/x' },
      'DATABASE_REPLICA_URL: a replica is not supported on the edge',
    ],
    [{ SVC_BASE_DOMAIN: 'https://x' }, 'SVC_BASE_DOMAIN: '],
    [{ HYPERDRIVE: undefined }, 'HYPERDRIVE: must be set on the edge'],
  ])('says so in its log and serves nothing: %j', async (changed, reason) => {
    const said: string[] = [];
    const worker = createWorker({
      endpoints,
      page: '',
      hasher: plainHasher,
      write: (line) => said.push(line),
    });
    const env = { ...VARIABLES, HYPERDRIVE: { connectionString: 'postgres://x/y' }, ...changed } as never;
    const response = await worker.fetch(new Request('http://localhost/healthz'), env, { waitUntil() {} });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ success: false, errors: [{ code: 'internal' }] });
    expect(said.join('')).toContain(reason);
  });
});
