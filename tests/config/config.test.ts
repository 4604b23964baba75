import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '../../lib/config/parse.ts';

describe('configuration', () => {
  it('has defaults for everything', () => {
    expect(parseConfig({})).toEqual({
      port: 8080,
      host: undefined,
      databaseUrl: undefined,
      replicaUrl: undefined,
      replicaMaxLagMs: 1_000,
      dataDir: './data',
      dbPoolMax: 10,
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
      ownerAcceptance: false,
      refuseInsecureSettings: false,
      publicUrl: 'http://localhost:8080',
      https: false,
      hstsSubdomains: false,
      metricsToken: undefined,
      mail: { from: 'svc-findings <no-reply@localhost>', resend: undefined, smtpUrl: undefined },
      authLimits: false,
      quotas: {
        orgsPerAccount: 200,
        sessionsPerAccount: 100,
        emailsPerAccount: 50,
        mfaDevicesPerAccount: 50,
        membersPerOrg: 5_000,
        formerSlugsPerOrg: 10,
        projectsPerOrg: 1_000,
        personalTokensPerAccount: 50,
        tokensPerOrg: 1_000,
        tokensPerProject: 500,
        mailsPerHour: 30,
      },
      storage: { bytes: 20 * 1024 ** 3, rows: 10_000_000 },
      auditDays: 400,
      maxReport: 64 * 1024 * 1024,
      encryptionKeys: [],
      outboundAllow: [],
      sso: { allowHttp: false, deployment: undefined },
      logLevel: 'info',
      logFormat: 'text',
    });
  });

  it('takes an empty value for an unset one', () => {
    expect(parseConfig({ SVC_BASE_DOMAIN: '', SVC_PORT: ' ', SVC_ALLOWED_ORIGINS: '' })).toEqual(
      parseConfig({}),
    );
  });

  it.each([
    ['64MiB', 64 * 1024 * 1024],
    ['8 kib', 8 * 1024],
    ['16', 16 * 1024 * 1024],
    ['1048576', 1024 * 1024],
  ])('reads the size of a report: %s', (SVC_MAX_REPORT, maxReport) => {
    expect(parseConfig({ SVC_MAX_REPORT }).maxReport).toBe(maxReport);
  });

  it.each(['0', '513MiB', '700', '64MB', '-1', 'much', '1.5MiB'])(
    'refuses as the size of a report: %s',
    (size) => {
      expect(() => parseConfig({ SVC_MAX_REPORT: size })).toThrow(/SVC_MAX_REPORT: .* from 1KiB to 512MiB/);
    },
  );

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
    ['DATABASE_MIGRATION_URL', 'postgres://h/x', /^DATABASE_MIGRATION_URL: needs DATABASE_URL/],
    [
      'DATABASE_REPLICA_URL',
      'mysql://u:secret@h/x',
      /^DATABASE_REPLICA_URL: the value given is not allowed; it takes postgres:/,
    ],
    ['DATABASE_REPLICA_URL', 'postgres://standby/x', /^DATABASE_REPLICA_URL: needs DATABASE_URL/],
    [
      'SVC_REPLICA_MAX_LAG',
      '0',
      /^SVC_REPLICA_MAX_LAG: "0" is not allowed; it takes a number of seconds from 0\.1 to 60$/,
    ],
    ['LOG_LEVEL', 'loud', /^LOG_LEVEL: "loud" is not allowed; it takes debug, info, warn, error$/],
    ['LOG_FORMAT', 'xml', /^LOG_FORMAT/],
  ])('refuses %s=%s in one line', (name, value, message) => {
    const parse = () => parseConfig({ [name]: value });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow(/\n|hunter2/);
  });

  it('names all invalid values at once', () => {
    const parse = () =>
      parseConfig({ SVC_PORT: 'x', LOG_LEVEL: 'loud', SVC_PUBLIC_URL: 'ftp://x', DATABASE_URL: 'x' });
    for (const name of ['SVC_PORT', 'LOG_LEVEL', 'SVC_PUBLIC_URL', 'DATABASE_URL'])
      expect(parse).toThrow(`${name}: `);
  });
});
