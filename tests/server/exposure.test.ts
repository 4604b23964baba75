import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/parse.ts';
import { createLogger } from '../../lib/logger.ts';
import { exposureOf, warnOfExposure } from '../../lib/warnings/exposure.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { afterSuite } from '../support/run/suite.ts';
import { startServer, stopServers } from '../support/server/server.ts';

const STRONG = 'e1a23fb51a5475aa72d853c14e882cad';
const LOCAL = { SVC_HOST: '127.0.0.1' };
const NEEDED = { SVC_ENCRYPTION_KEY: STRONG, SVC_SMTP_URL: 'smtp://127.0.0.1:9' };
const SAFE = { ...NEEDED, SVC_STRICT: 'on', JWT_SECRET: STRONG };

const exposed = (env: Record<string, string>, listens = true) => exposureOf(parseConfig(env), { listens });

describe('a service is reachable from outside', () => {
  it.each([
    [{}, /all interfaces/],
    [{ SVC_HOST: '0.0.0.0' }, /0\.0\.0\.0/],
    [{ SVC_HOST: '::' }, /::/],
    [{ SVC_HOST: '192.168.1.7' }, /192\.168\.1\.7/],
    [{ ...LOCAL, SVC_PUBLIC_URL: 'https://findings.example.com' }, /public address/],
    [{ ...LOCAL, SVC_BASE_DOMAIN: 'findings.example.com' }, /base domain/],
  ])('with %o', (env, reason) => {
    expect(exposed(env)?.reachable).toEqual([expect.stringMatching(reason)]);
  });

  it.each([
    LOCAL,
    { SVC_HOST: 'localhost' },
    { SVC_HOST: '::1' },
    { SVC_HOST: '127.0.0.2', SVC_PUBLIC_URL: 'http://localhost:8080' },
    { ...LOCAL, SVC_BASE_DOMAIN: 'svc.localhost' },
  ] as Record<string, string>[])('not with %o', (env) => {
    expect(exposed(env)).toBeUndefined();
  });

  it('always on the edge', () => {
    expect(exposed({ ...LOCAL, JWT_SECRET: STRONG }, false)?.reachable).toEqual(['it runs on the edge']);
  });
});

describe('an open setting', () => {
  const closers = (env: Record<string, string>) => exposed(env)?.open.map(({ close }) => close.split(':')[0]);

  it('is named with the variable that closes it', () => {
    expect(closers({})).toEqual([
      'SVC_REQUIRE_VERIFIED_EMAIL=on',
      'SVC_PENDING_INVITATIONS=on',
      'SVC_AUTH_LIMITS=on',
      'SVC_BREACHED_PASSWORDS=refuse',
      'SVC_SESSION_IDLE_MINUTES=480',
      'SVC_METRICS_TOKEN',
      'SVC_STRICT=on',
      'JWT_SECRET',
      'SVC_ENCRYPTION_KEY',
    ]);
    const weak = { JWT_SECRET: 'a', SVC_ENCRYPTION_KEY: 'b', SVC_PUBLIC_URL: 'http://findings.example.com' };
    expect(closers({ ...weak, SVC_AUTH_LIMITS: 'on' })).toEqual([
      'SVC_REQUIRE_VERIFIED_EMAIL=on',
      'SVC_PENDING_INVITATIONS=on',
      'SVC_BREACHED_PASSWORDS=refuse',
      'SVC_SESSION_IDLE_MINUTES=480',
      'SVC_METRICS_TOKEN',
      'JWT_SECRET',
      'SVC_ENCRYPTION_KEY',
      'SVC_PUBLIC_URL',
      'SVC_STRICT=on',
    ]);
  });

  it('is none in strict mode, except for parts that are switched off', () => {
    expect(exposed(SAFE)).toBeUndefined();
    expect(
      exposed({ ...NEEDED, SVC_STRICT: 'on' }),
      'an ephemeral secret is warned about on its own',
    ).toBeUndefined();
    expect(closers({ ...SAFE, SVC_AUTH_LIMITS: 'off' })).toEqual(['SVC_AUTH_LIMITS=on']);
    const lax = { ...SAFE, SVC_BREACHED_PASSWORDS: 'warn', SVC_SESSION_IDLE_MINUTES: '0' };
    expect(closers(lax)).toEqual(['SVC_BREACHED_PASSWORDS=refuse', 'SVC_SESSION_IDLE_MINUTES=480']);
    const weak = { ...SAFE, SVC_REFUSE_INSECURE_SETTINGS: 'off', JWT_SECRET: 'hunter2' };
    expect(closers(weak)).toEqual(['JWT_SECRET']);
  });

  it('is one line for a trial, and a block once it has an address or a database of its own', () => {
    const linesOf = (env: Record<string, string>, format: 'text' | 'json' = 'text') => {
      const lines: string[] = [];
      const write = (text: string) => lines.push(...text.trimEnd().split('\n'));
      warnOfExposure(
        parseConfig({ ...env, LOG_FORMAT: format }),
        createLogger({ level: 'warn', format, write }),
      );
      return lines;
    };
    expect(linesOf({})).toEqual([expect.stringMatching(/reachable from outside .* SVC_HOST=127\.0\.0\.1/)]);
    const addressed: Record<string, string>[] = [
      { SVC_HOST: '0.0.0.0' },
      { SVC_PUBLIC_URL: 'https://findings.example.com' },
      { SVC_BASE_DOMAIN: 'findings.example.com' },
      { DATABASE_URL: 'postgres://db/x' },
    ];
    for (const env of addressed) expect(linesOf(env).length, JSON.stringify(env)).toBeGreaterThan(5);
    expect(JSON.parse(linesOf({}, 'json')[0] ?? '').open).toHaveLength(9);
  });

  it('never shows a value', () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', format: 'text', write: (line) => lines.push(line) });
    warnOfExposure(parseConfig({ JWT_SECRET: 'hunter2', SVC_ENCRYPTION_KEY: 'hunter3' }), log);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/hunter/);
  });
});

describe('a server that starts', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  const TITLE = 'reachable from outside without strict mode';

  beforeAll(async () => {
    database = await createDatabase();
    afterSuite(database.drop);
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-exposure-'));
    afterSuite(() => rm(dataDir, { recursive: true }));
    env = { DATABASE_URL: database.url, SVC_DATA_DIR: dataDir };
  });
  afterEach(stopServers);

  const once = (log: string, text: string) => expect(log.split(text)).toHaveLength(2);

  it('says in one block that it is reachable, what is open, and what closes it', async () => {
    const { log } = await startServer({ ...env, SVC_PUBLIC_URL: 'http://findings.example.com' });
    once(log(), `This service is ${TITLE}.`);
    const [, block = ''] = log().split('='.repeat(100));
    for (const text of [
      'public address is http://findings.example.com',
      'SVC_REQUIRE_VERIFIED_EMAIL=on',
      'SVC_PENDING_INVITATIONS=on',
      'SVC_AUTH_LIMITS=on',
      'SVC_PUBLIC_URL: an https address',
      'JWT_SECRET: openssl rand -hex 32',
      'SVC_STRICT=on sets all switches above',
    ])
      expect(block).toContain(text);
  });

  it('says it as one event in JSON', async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one && !one.internal && one.family === 'IPv4')?.address;
    const host = { SVC_HOST: address ?? '0.0.0.0' };
    const server = await startServer({ ...env, ...host, LOG_FORMAT: 'json' });
    once(server.log(), TITLE);
    const line = server
      .log()
      .split('\n')
      .find((text) => text.includes(TITLE));
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'warn',
      message: TITLE,
      reachable: [`it listens on ${host.SVC_HOST} (SVC_HOST)`],
      open: expect.arrayContaining([
        { what: expect.stringContaining('passwords and codes'), close: 'SVC_AUTH_LIMITS=on' },
      ]),
      close_all: 'SVC_STRICT=on',
    });
  });

  it.each([
    ['only its own machine can reach it', {}],
    ['it is strict', { ...SAFE, SVC_PUBLIC_URL: 'https://findings.example.com' }],
  ])('says nothing when %s', async (_, more) => {
    const { log } = await startServer({ ...env, ...more });
    expect(log()).toContain('listening');
    expect(log()).not.toContain('reachable from outside');
  });
});
