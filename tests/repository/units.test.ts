import { describe, expect, it } from 'vitest';
import { createGroup } from '../../db/group.ts';
import { createIds } from '../../db/ids.ts';
import { createHotTexts } from '../../db/pool/hot.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { ConfigError, parseConfig } from '../../lib/config/config.ts';
import { FindingInput } from '../../lib/findings/input.ts';
import { hostName, isAllowedOrigin, isOwnOrigin, subdomainOf } from '../../lib/http/origin.ts';
import { createLogger } from '../../lib/logger.ts';
import { plainConnections } from '../../lib/warnings/plain-connections.ts';
import { PROJECTS } from '../../scripts/seed/company.ts';
import { limit } from '../support/limits.ts';

describe('connections to other machines', () => {
  const linesOf = (env: Record<string, string | undefined>) => plainConnections(parseConfig(env));

  it.each([
    [
      'a database without TLS',
      { DATABASE_URL: 'postgres://u:p@db.example.com/x' },
      /db\.example\.com is not enc/,
    ],
    [
      'a certificate that is not checked',
      { DATABASE_URL: 'postgres://u:p@10.0.0.5/x?sslmode=require' },
      /certificate is not checked/,
    ],
    ['opportunistic TLS', { SVC_SMTP_URL: 'smtp://u:p@mail.example.com:587' }, /requireTLS/],
    [
      'a plain mail API',
      { RESEND_API_KEY: 're_x', RESEND_BASE_URL: 'http://relay.example.com' },
      /RESEND_BASE_URL/,
    ],
  ])('are warned about: %s', (_, env, line) => {
    const lines = linesOf(env);
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(lines.join()).not.toContain('u:p');
  });

  it.each([
    { DATABASE_URL: 'postgres://u:p@db.example.com/x?sslmode=verify-full' },
    { DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/x' },
    { DATABASE_URL: 'postgres://u:p@postgres:5432/x', SVC_SMTP_URL: 'smtp://mail:1025' },
    { SVC_SMTP_URL: 'smtps://u:p@mail.example.com' },
    { SVC_SMTP_URL: 'smtp://u:p@mail.example.com?requireTLS=true' },
    {},
  ])('are no matter where they are encrypted, or stay near: %j', (env) => {
    expect(linesOf(env)).toEqual([]);
  });
});

describe('configuration', () => {
  it('has defaults for everything', () => {
    expect(parseConfig({})).toEqual({
      port: 8080,
      host: undefined,
      databaseUrl: undefined,
      dataDir: './data',
      dbPoolMax: 10,
      workers: 1,
      jwtSecrets: [],
      searchMs: 5_000,
      allowedOrigins: [],
      baseDomain: undefined,
      trustProxy: false,
      strict: false,
      requireVerifiedEmail: false,
      breachedPasswords: 'warn',
      passwordWords: [],
      sessionIdleMinutes: 0,
      pendingInvitations: false,
      refuseInsecureSettings: false,
      publicUrl: 'http://localhost:8080',
      https: false,
      hstsSubdomains: false,
      metricsHosts: [],
      mail: { from: 'Security findings <no-reply@localhost>', resend: undefined, smtpUrl: undefined },
      authLimits: false,
      quotas: {
        orgsPerAccount: 200,
        sessionsPerAccount: 100,
        emailsPerAccount: 50,
        mfaDevicesPerAccount: 50,
        membersPerOrg: 5_000,
        projectsPerOrg: 1_000,
        tokensPerOrg: 1_000,
        tokensPerProject: 500,
        mailsPerHour: 30,
      },
      encryptionKeys: [],
      logLevel: 'info',
      logFormat: 'text',
    });
  });

  it('takes an empty value for an unset one', () => {
    expect(parseConfig({ SVC_BASE_DOMAIN: '', SVC_PORT: ' ', SVC_ALLOWED_ORIGINS: '' })).toEqual(
      parseConfig({}),
    );
  });

  it('reads what is given', () => {
    const config = parseConfig({
      SVC_PORT: '9000',
      SVC_BASE_DOMAIN: 'Example.COM',
      SVC_ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173/',
      SVC_TRUST_PROXY: 'ON',
      LOG_LEVEL: 'WARN',
      LOG_FORMAT: 'json',
    });
    expect(config).toMatchObject({
      port: 9000,
      baseDomain: 'example.com',
      allowedOrigins: ['https://a.example', 'http://localhost:5173'],
      trustProxy: 1,
      logLevel: 'warn',
      logFormat: 'json',
    });
  });

  it.each([
    ['SVC_PORT', 'eighty', /^SVC_PORT: "eighty" is not allowed; it takes a port number/],
    ['SVC_PORT', '65536', /^SVC_PORT/],
    ['SVC_DB_POOL_MAX', '0', /^SVC_DB_POOL_MAX/],
    [
      'DATABASE_URL',
      'mysql://u:hunter2@h/d',
      /^DATABASE_URL: the value given is not allowed; it takes postgres:/,
    ],
    ['SVC_BASE_DOMAIN', 'https://example.com', /^SVC_BASE_DOMAIN/],
    ['SVC_BASE_DOMAIN', 'example.com:8080', /^SVC_BASE_DOMAIN/],
    ['SVC_ALLOWED_ORIGINS', 'https://a.example/path', /^SVC_ALLOWED_ORIGINS/],
    ['SVC_ALLOWED_ORIGINS', '*', /^SVC_ALLOWED_ORIGINS/],
    [
      'SVC_TRUST_PROXY',
      'maybe',
      /^SVC_TRUST_PROXY: "maybe" is not allowed; it takes on, off, a number of proxies from 1 to 10, or addresses/,
    ],
    ['SVC_TRUST_PROXY', '11', /^SVC_TRUST_PROXY/],
    ['SVC_TRUST_PROXY', '10.0.0.0/8,nginx', /^SVC_TRUST_PROXY/],
    ['SVC_TRUST_PROXY', '10.0.0.0/33', /^SVC_TRUST_PROXY/],
    ['LOG_LEVEL', 'loud', /^LOG_LEVEL: "loud" is not allowed; it takes debug, info, warn, error$/],
    ['LOG_FORMAT', 'xml', /^LOG_FORMAT/],
  ])('refuses %s=%s in one line', (name, value, message) => {
    const parse = () => parseConfig({ [name]: value });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow(/\n|hunter2/);
  });
});

describe('the log', () => {
  const logged = (format: 'text' | 'json', level: 'debug' | 'warn' = 'debug') => {
    const lines: string[] = [];
    const clock = () => new Date(0);
    return { lines, log: createLogger({ level, format, write: (line) => lines.push(line), clock }) };
  };

  it('is text or JSON', () => {
    const text = logged('text');
    text.log.info('request', { method: 'GET', ms: 1.5, org: undefined, who: 'Ada L.' });
    expect(text.lines).toEqual(['1970-01-01T00:00:00.000Z info  request method=GET ms=1.5 who="Ada L."\n']);
    const json = logged('json');
    json.log.info('request', { method: 'GET', org: undefined });
    expect(json.lines).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"request","method":"GET"}\n',
    ]);
  });

  it('leaves out what is below its level', () => {
    const { lines, log } = logged('text', 'warn');
    log.info('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });

  it.each(['text', 'json'] as const)('is one line an event in %s, with causes', (format) => {
    const { lines, log } = logged(format);
    const error = new Error('outer', { cause: new Error('inner') });
    log.error('failed', { error, text: 'a\nb\r\n2026 info  forged', list: ['\n'] });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(/[\r\n]/);
    expect(lines[0]).toContain('outer');
    expect(lines[0]).toContain('inner');
  });
});

describe('host names', () => {
  it.each([
    ['Example.com:8080', 'example.com'],
    ['example.com.', 'example.com'],
    ['EXAMPLE.com.:80', 'example.com'],
    ['[::1]:8080', '[::1]'],
    ['', ''],
    [undefined, ''],
  ])('%j is %j', (host, name) => expect(hostName(host)).toBe(name));

  it.each([
    ['acme.example.com', 'acme'],
    ['example.com', undefined],
    ['a.b.example.com', undefined],
    ['.example.com', undefined],
    ['acmeexample.com', undefined],
    ['acme.example.com.evil.com', undefined],
  ])('%s has the slug %s', (name, slug) => expect(subdomainOf(name, 'example.com')).toBe(slug));

  it.each([
    ['https://example.com', true],
    ['https://acme.example.com:8443', true],
    ['https://evil.com', false],
    ['https://evilexample.com', false],
    ['https://example.com.evil.com', false],
    ['https://listed.example', true],
    ['null', false],
    ['file://example.com', false],
  ])('%s is allowed: %s', (origin, allowed) => {
    const config = { baseDomain: 'example.com', allowedOrigins: ['https://listed.example'], https: false };
    expect(isAllowedOrigin(origin, config, false)).toBe(allowed);
  });

  it.each([
    ['over plain HTTP', false, false, true],
    ['over HTTPS', false, true, false],
    ['whose public address is HTTPS', true, false, false],
  ])('a page of plain HTTP on a subdomain is an origin of a service %s: %s', (_, https, secure, allowed) => {
    const config = { baseDomain: 'example.com', allowedOrigins: ['http://listed.example'], https };
    expect(isAllowedOrigin('http://acme.example.com', config, secure)).toBe(allowed);
    expect(isAllowedOrigin('https://acme.example.com', config, secure)).toBe(true);
    expect(isAllowedOrigin('http://listed.example', config, secure)).toBe(true);
  });

  it.each([
    ['http://localhost:8080', 'localhost:8080', true],
    ['http://localhost:3000', 'localhost:8080', false],
    ['https://a.example', 'a.example', true],
    ['https://a.example', undefined, false],
    ['null', 'null', false],
    ['http://a', '%%', false],
    ['ftp://a.example', 'a.example', false],
  ])('%s is %s itself: %s', (origin, host, own) =>
    expect(isOwnOrigin(origin, host, { https: false }, false)).toBe(own),
  );

  it.each([
    ['over plain HTTP', false, false, true],
    ['over HTTPS', false, true, false],
    ['whose public address is HTTPS', true, false, false],
  ])('a page of plain HTTP on the own host is an origin of a service %s: %s', (_, https, secure, own) => {
    expect(isOwnOrigin('http://a.example', 'a.example', { https }, secure)).toBe(own);
    expect(isOwnOrigin('https://a.example', 'a.example', { https }, secure)).toBe(true);
    expect(isOwnOrigin('https://b.example', 'a.example', { https }, secure)).toBe(false);
  });
});

describe('ids', () => {
  it('only grow, and carry their time', () => {
    let now = 1_800_000_000_000;
    const next = createIds(() => new Date(now));
    const made = Array.from({ length: 5_000 }, (_, i) => {
      // The clock stands still, and once goes back.
      if (i % 1_000 === 0) now += i === 2_000 ? -50 : 1;
      return next();
    });
    const ids = made.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const { id, at } of made)
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at.getTime());
  });

  it('name schemas only when they are ids', () => {
    expect(orgSchemaName('01890a5d-ac96-774b-bcce-b302099a8057')).toBe(
      'org_01890a5dac96774bbcceb302099a8057',
    );
    for (const id of [
      '',
      'x',
      '01890a5d-ac96-774b-bcce-b302099a805"',
      'A1890a5d-ac96-774b-bcce-b302099a8057',
    ]) {
      expect(() => orgSchemaName(id)).toThrow();
    }
  });
});

describe('a group', () => {
  const deferred = () => {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    return { promise, resolve };
  };

  it('runs together what arrives in one turn, and what arrives while it is under way', async () => {
    const flights: number[][] = [];
    const gate = deferred();
    const group = createGroup<number, number>({
      maxItems: 10,
      async run(items) {
        flights.push(items);
        if (flights.length === 1) await gate.promise;
        return items.map((item) => item * 2);
      },
    });
    const all = [1, 2].map((item) => group(item));
    while (flights.length === 0) await new Promise((turn) => setImmediate(turn));
    all.push(group(3), group(4));
    gate.resolve();
    expect(await Promise.all(all)).toEqual([2, 4, 6, 8]);
    expect(flights).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('never takes two of a key, more than it may, or too much weight', async () => {
    const flights: string[][] = [];
    const group = createGroup<string, string>({
      maxItems: 3,
      keyOf: (item) => item,
      maxWeight: 10,
      weigh: (item) => item.length,
      async run(items) {
        flights.push(items);
        return items;
      },
    });
    await Promise.all(['first', 'a', 'a', 'b', 'c', 'd', 'eight888', 'much too heavy', 'z'].map(group));
    expect(flights).toEqual([['first', 'a', 'b'], ['a', 'c', 'd'], ['eight888', 'z'], ['much too heavy']]);
  });

  it('does not wait for a flight that is late, when there may be others', async () => {
    const lost = deferred();
    const group = createGroup<string, string>({
      maxItems: 10,
      maxAway: 2,
      async run(items) {
        if (items.includes('lost')) await lost.promise;
        return items;
      },
    });
    const first = group('lost');
    await new Promise((turn) => setImmediate(() => setImmediate(turn)));
    expect(await Promise.all([group('second'), group('third')])).toEqual(['second', 'third']);
    lost.resolve();
    expect(await first).toBe('lost');
  });

  it('gives each its own error, and all of them the error of the flight', async () => {
    const group = createGroup<string, string>({
      maxItems: 10,
      async run(items) {
        if (items.includes('crash')) throw new Error('crashed');
        return items.map((item) => (item === 'bad' ? new Error('bad') : item));
      },
    });
    const outcome = await Promise.allSettled(['good', 'bad', 'fine'].map(group));
    expect(outcome.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const crashed = await Promise.allSettled(['crash', 'with', 'us'].map(group));
    expect(crashed[0]).toMatchObject({ reason: { message: 'crashed' } });
    expect(await group('after')).toBe('after');
  });
});

describe('createHotTexts', () => {
  it('tells what comes for the third time', () => {
    const isHot = createHotTexts({ max: 10, periodMs: 60_000 });
    expect(['a', 'b', 'a', 'a', 'b', 'a'].map(isHot)).toEqual([false, false, false, true, false, true]);
  });

  it('lets no more become hot than it may, until a period is over', async () => {
    const periodMs = limit(100);
    const isHot = createHotTexts({ max: 1, periodMs });
    const thrice = (text: string) => [text, text, text].map(isHot).at(-1);
    expect([thrice('a'), thrice('b'), isHot('a'), isHot('b')]).toEqual([true, false, true, false]);
    await new Promise((over) => setTimeout(over, periodMs + 10));
    expect([isHot('b'), isHot('a')]).toEqual([true, false]);
  });
});

describe('the demo organization', () => {
  it.each(PROJECTS)(
    '$name has findings that the service takes, each with a fingerprint of its own',
    (project) => {
      const findings = project.schedules.flatMap(({ parts }) =>
        parts.flatMap(({ candidates }) => candidates),
      );
      const ids = { scan_id: 'scan', project_id: '01890a5d-ac96-774b-bcce-b302099a8057' };
      for (const finding of findings) {
        expect(FindingInput.safeParse({ ...finding, ...ids }).error).toBeUndefined();
        if (finding.cve) expect(finding.cvss_score).toBeGreaterThan(0);
      }
      expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
    },
  );
});
