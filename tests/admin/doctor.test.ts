import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { emptySchemaOf, NO_ROWS, prepareEmptyTables } from '../../db/migrations/empty-tables.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import type { Check } from '../../lib/admin/doctor/checks.ts';
import { checkHostnames } from '../../lib/admin/doctor/citus.ts';
import { timeText } from '../../lib/admin/doctor/database.ts';
import { runAdmin } from '../../lib/admin/run.ts';
import { addAuthenticator } from '../support/api/account.ts';
import { createOrg, createUser } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { createCertificate } from '../support/hostile/certificate.ts';
import { startApp } from '../support/server/app.ts';

const STRONG = 'e1a23fb51a5475aa72d853c14e882cad';
const PRODUCTION = {
  SVC_STRICT: 'on',
  SVC_HOST: '127.0.0.1',
  JWT_SECRET: STRONG,
  SVC_ENCRYPTION_KEY: STRONG,
  // Not asked by doctor.
  RESEND_API_KEY: 're_1',
};

const freshDirectory = () => mkdtemp(join(tmpdir(), 'doctor-'));

interface Told {
  code: number;
  checks: Check[];
  /** Messages that start with their status, such as `failed: …`. */
  of(area: string): string[];
}

async function doctor(env: Record<string, string>, ...args: string[]): Promise<Told> {
  let out = '';
  const code = await runAdmin(['doctor', '--json', ...args], {
    env,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      throw new Error(text);
    },
    tracks: { shared: sharedMigrations, org: orgMigrations },
  });
  const { checks } = JSON.parse(out) as { checks: Check[] };
  return {
    code,
    checks,
    of: (area) =>
      checks.filter((check) => check.area === area).map(({ status, message }) => `${status}: ${message}`),
  };
}

let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
});

afterAll(() => database.drop());

describe('the configuration', () => {
  it('of a trial gives warnings, each with the page that helps', async () => {
    const { checks, of } = await doctor({ DATABASE_URL: database.url });
    expect(of('configuration')[0]).toMatch(/^warning: SVC_STRICT is off/);
    expect(of('configuration').join('\n')).toContain('SVC_AUTH_LIMITS=on');
    expect(of('keys').slice(0, 2)).toEqual([
      expect.stringMatching(/^warning: JWT_SECRET is not set/),
      expect.stringMatching(/^warning: SVC_ENCRYPTION_KEY is not set/),
    ]);
    for (const { status, see } of checks)
      expect(see !== undefined).toBe(['warning', 'failed'].includes(status));
  });

  it('of production gives none, on this machine', async () => {
    const { of } = await doctor({ ...PRODUCTION, DATABASE_URL: database.url });
    for (const area of ['configuration', 'keys']) {
      for (const line of of(area)) expect(line).toMatch(/^ok/);
    }
  });

  it('fails for what a strict server refuses, and checks the rest', async () => {
    const refused = {
      ...PRODUCTION,
      SVC_ENCRYPTION_KEY: '',
      RESEND_API_KEY: '',
      JWT_SECRET: 'changeme'.repeat(4),
    };
    const { code, of } = await doctor({ ...refused, DATABASE_URL: database.url });
    expect(code).toBe(1);
    for (const variable of ['JWT_SECRET', 'SVC_ENCRYPTION_KEY', 'SVC_SMTP_URL'])
      expect(of('keys')).toContainEqual(
        expect.stringMatching(new RegExp(`^failed: servers do not start: ${variable}`)),
      );
    expect(of('schemas')).not.toEqual([]);
  });

  it('fails for a secret that is too short', async () => {
    const { code, of } = await doctor({ DATABASE_URL: database.url, JWT_SECRET: 'short' });
    expect(code).toBe(1);
    expect(of('keys')).toContainEqual(expect.stringMatching(/^failed: JWT_SECRET/));
  });
});

describe('the database', () => {
  it('is described', async () => {
    const lines = (await doctor({ ...PRODUCTION, DATABASE_URL: database.url })).of('database');
    expect(lines).toContainEqual(expect.stringMatching(/^ok: PostgreSQL \d+ at/));
    expect(lines).toContainEqual(expect.stringMatching(/^ok: searches are indexed/));
    // The suite's PostgreSQL forgets everything after a crash, and its role may do everything.
    expect(lines).toContainEqual(
      expect.stringMatching(/^failed: acknowledged changes are lost in a crash: fsync/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^warning: .* superuser/));
  });

  it('counts the connections that the role may have', async () => {
    const client = openDatabase({ url: database.url, max: 1 });
    const lines = async (max: number) =>
      (await doctor({ ...PRODUCTION, DATABASE_URL: url.href, SVC_DB_POOL_MAX: String(max) }))
        .of('database')
        .join('\n');
    const url = Object.assign(new URL(database.url), { username: 'doctors', password: 'secret' });
    try {
      await client.sql.unsafe(`create role doctors login password 'secret' connection limit 25`);
      await client.sql.unsafe('grant usage on schema shared to doctors');
      expect(await lines(10)).toContain(
        'ok: the role may have 25 connections, enough for 2 servers with up to 11',
      );
      expect(await lines(25)).toContain('failed: the role may have 25 connections, a server uses up to 26');
      await client.sql.unsafe(`alter role doctors connection limit -1`);
      const [row] = await client.sql.unsafe(
        `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as free`,
      );
      expect(await lines(10)).toContain(`the role may have ${row?.free} connections`);
    } finally {
      await client.sql.unsafe('drop owned by doctors');
      await client.sql.unsafe('drop role doctors');
      await client.close();
    }
  });

  it.each([
    [7_200, '2 h'],
    [90, '90 s'],
    [1_800, '30 min'],
    [259_200, '3 days'],
  ])('whose clock differs by %i s is %s ahead or behind', (seconds, text) => {
    expect(timeText(seconds)).toBe(text);
  });

  it('that cannot be reached fails alone: the other checks run', async () => {
    const { code, of } = await doctor({ ...PRODUCTION, DATABASE_URL: 'postgres://a:b@127.0.0.1:9/c' });
    expect(code).toBe(1);
    expect(of('database')).toEqual([
      expect.stringMatching(/^failed: the database cannot be used: .*ECONNREFUSED/),
    ]);
    expect(of('configuration').length).toBeGreaterThan(0);
  });

  it('that is empty is reported, and stays empty', async () => {
    const empty = await createDatabase('empty');
    try {
      const { code, of } = await doctor({ ...PRODUCTION, DATABASE_URL: empty.url });
      expect(code).toBe(1);
      expect(of('schemas')).toEqual([expect.stringMatching(/^failed: the database is empty/)]);
      expect((await doctor({ ...PRODUCTION, DATABASE_URL: empty.url })).of('schemas')).toEqual(of('schemas'));
    } finally {
      await empty.drop();
    }
  });

  it('whose organizations without tables could see rows of each other is reported', async () => {
    const schema = emptySchemaOf(orgMigrations);
    const client = openDatabase({ url: database.url, max: 1 });
    try {
      await prepareEmptyTables(client.sql, orgMigrations);
      expect((await doctor({ ...PRODUCTION, DATABASE_URL: database.url })).of('schemas')).toContain(
        'ok: the tables that organizations without tables share can have no row',
      );
      await client.sql.unsafe(`alter table "${schema}".rules drop constraint ${NO_ROWS}`);
      const { code, of } = await doctor({ ...PRODUCTION, DATABASE_URL: database.url });
      expect(code).toBe(1);
      expect(of('schemas').join()).toMatch(
        /failed: tables that organizations share .*: empty_org_\w+\.rules$/,
      );
      // Other checks run.
      expect(of('keys')).not.toEqual([]);
    } finally {
      await client.sql.unsafe(`drop schema "${schema}" cascade`);
      await client.close();
    }
  });

  it.each([
    [
      'shared',
      `insert into shared.migrations (name, hash, applied_at) values ('9999_later', 'x', now())`,
      '9999_later',
    ],
    [
      'an organization',
      'update shared.orgs set schema_version = schema_version + 1000',
      'those of organizations',
    ],
  ])('of a newer version fails: %s', async (_, sql, named) => {
    const newer = await startApp();
    await createOrg(newer.api);
    const { sql: client } = newer.services.database;
    const before = await doctor({ ...PRODUCTION, DATABASE_URL: newer.databaseUrl });
    expect(before.of('schemas').join()).not.toContain('newer');
    await client.unsafe(sql);
    const { code, checks } = await doctor({ ...PRODUCTION, DATABASE_URL: newer.databaseUrl });
    expect(code).toBe(1);
    expect(checks.filter(({ area }) => area === 'schemas')).toEqual([
      {
        area: 'schemas',
        status: 'failed',
        message: expect.stringContaining(
          `does not know migrations that a newer version has applied: ${named}`,
        ),
        see: 'docs/how-to/upgrade.md#go-back',
      },
    ]);
  });

  it('is not created where there is none', async () => {
    const { of } = await doctor({ ...PRODUCTION, SVC_DATA_DIR: await freshDirectory() });
    expect(of('database')).toEqual([expect.stringMatching(/^failed: .* has no database/)]);
  });
});

it('finds that a key is missing', async () => {
  const t = await startApp({ env: { SVC_ENCRYPTION_KEY: 'df6f1e7a10aada459ebc614832ff2555' } });
  await addAuthenticator(t, (await createUser(t.api)).cookie);
  const { of } = await doctor({ ...PRODUCTION, DATABASE_URL: t.databaseUrl });
  expect(of('keys')).toContainEqual(
    expect.stringMatching(/^failed: the keys decrypt only 0 of the newest 1 secrets of authenticator apps/),
  );
  const both = {
    ...PRODUCTION,
    DATABASE_URL: t.databaseUrl,
    SVC_ENCRYPTION_KEY: `${STRONG},${'df6f1e7a10aada459ebc614832ff2555'}`,
  };
  expect((await doctor(both)).of('keys')).toContainEqual(
    expect.stringMatching(/^ok: the keys decrypt .*1 tried/),
  );
});

it('names nodes of Citus that cannot reach themselves', () => {
  const node = (name: string, local_hostname: string | null) => ({ name, is_worker: true, local_hostname });
  const nodes = [
    node('10.0.0.1', '10.0.0.1'),
    node('10.0.0.2', 'localhost'),
    node('10.0.0.3', null),
    node('127.0.0.1', 'localhost'),
  ];
  expect(checkHostnames(nodes).map(({ message }) => message)).toEqual([
    'citus.local_hostname of 10.0.0.2 is localhost: organizations cannot be moved there',
  ]);
});

describe('mail', () => {
  it('fails without a provider where nobody can verify an address', async () => {
    const { of } = await doctor({ ...PRODUCTION, RESEND_API_KEY: '', DATABASE_URL: database.url });
    expect(of('mail')[0]).toMatch(/^failed: no mail provider/);
  });

  it('fails when the mail server hangs up', async () => {
    const server = net.createServer((socket) => socket.end('421 busy\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    try {
      const { of } = await doctor({
        ...PRODUCTION,
        RESEND_API_KEY: '',
        DATABASE_URL: database.url,
        SVC_SMTP_URL: `smtp://127.0.0.1:${port}`,
      });
      expect(of('mail')[0]).toMatch(new RegExp(`^failed: 127.0.0.1:${port}: `));
    } finally {
      server.close();
    }
  });

  it('names the variable for the certificate of a private CA', async () => {
    const server = tls.createServer(createCertificate());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    try {
      const SVC_SMTP_URL = `smtps://localhost:${port}`;
      const { of } = await doctor({ DATABASE_URL: database.url, SVC_SMTP_URL });
      expect(of('mail')[0]).toMatch(/^failed: localhost:\d+: .*\(set NODE_EXTRA_CA_CERTS /);
    } finally {
      server.close();
    }
  });

  it('sends a test mail when asked to', async () => {
    const env = { DATABASE_URL: database.url, SVC_DATA_DIR: await freshDirectory() };
    const { of } = await doctor(env, '--mail', 'ada@example.com');
    expect(of('mail')).toContainEqual(
      expect.stringMatching(/^ok: .* accepted a test mail to ada@example.com/),
    );
  });
});

describe('the public address', () => {
  it('fails when nothing listens there', async () => {
    const { code, of } = await doctor({
      ...PRODUCTION,
      DATABASE_URL: database.url,
      SVC_PUBLIC_URL: 'https://127.0.0.1:9',
    });
    expect(code).toBe(1);
    expect(of('TLS')).toEqual([expect.stringMatching(/^failed: https:\/\/127.0.0.1:9: .*ECONNREFUSED/)]);
  });

  it('fails for a certificate that browsers do not trust', async () => {
    const server = tls.createServer(createCertificate());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    try {
      const env = { ...PRODUCTION, DATABASE_URL: database.url, SVC_PUBLIC_URL: `https://localhost:${port}` };
      expect((await doctor(env)).of('TLS')).toEqual([expect.stringMatching(/^failed: .*self.signed/)]);
    } finally {
      server.close();
    }
  });

  it('is a warning without TLS, a failure in strict mode', async () => {
    const env = { DATABASE_URL: database.url, SVC_PUBLIC_URL: 'http://findings.example.com' };
    expect((await doctor(env)).of('TLS')).toEqual([expect.stringMatching(/^warning: .* is not encrypted/)]);
  });
});
