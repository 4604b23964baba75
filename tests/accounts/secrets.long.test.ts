import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { eq } from 'drizzle-orm';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { mfaDevices } from '../../db/schema/accounts.ts';
import { destinations } from '../../db/schema/destinations.ts';
import { outgoingMails } from '../../db/schema/platform.ts';
import { createSignedTokens } from '../../lib/accounts/sessions/signed-token.ts';
import { runAdmin } from '../../lib/admin/run.ts';
import { entropyOf } from '../../lib/config/entropy.ts';
import { ConfigError, parseConfig } from '../../lib/config/parse.ts';
import { deriveKeys } from '../../lib/crypto/keys.ts';
import { createSecretBox } from '../../lib/crypto/secret-box.ts';
import { readMailSecret } from '../../lib/node/mail-secret.ts';
import { withTrialSecrets } from '../../lib/node/trial-secrets.ts';
import { createOrg, createUser, must, PASSWORD, type TestUser } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { afterSuite, afterTest } from '../support/run/suite.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { runServer, startServer, stopServers } from '../support/server/server.ts';

const STRONG = 'e1a23fb51a5475aa72d853c14e882cad';
/** The settings that strict mode needs. */
const NEEDED = { SVC_ENCRYPTION_KEY: STRONG, SVC_SMTP_URL: 'smtps://mail.example.com' };
const OLD = 'the old secret, of thirty-two bytes'.replaceAll(',', '');
const NEW = 'the new secret of thirty-two bytes.';

async function temporaryDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-secrets-'));
  afterTest(() => rm(dir, { recursive: true }));
  return dir;
}

const me = ({ api }: TestApp, cookie: string) => api.get('/auth/me', { cookie });

/** A session as an attacker makes it who knows, or has guessed, the secret. */
const forge = (secret: string, user: TestUser, session: string, header: object = {}) =>
  new SignJWT({ aud: 'session' })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .setSubject(user.id)
    .setJti(session)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret));

const sessionOf = (cookie: string) => JSON.parse(atob(cookie.split('.')[1] ?? '')).jti;

describe('a weak secret', () => {
  it('is found offline from one cookie, which strict mode prevents', async () => {
    const weak = await startApp({ env: { JWT_SECRET: 'a' } });
    const user = await createUser(weak.api);
    // The attack: a list of words, and no request.
    const found: string[] = [];
    for (const word of ['secret', 'changeme', 'a', 'admin']) {
      const key = new TextEncoder().encode(word);
      await jwtVerify(user.cookie, key).then(
        () => found.push(word),
        () => {},
      );
    }
    expect(found).toEqual(['a']);
    expect((await me(weak, await forge('a', user, sessionOf(user.cookie)))).status).toBe(200);

    expect(() => parseConfig({ ...NEEDED, JWT_SECRET: 'a', SVC_STRICT: 'on' })).toThrow(
      /^JWT_SECRET: the value given is not allowed while SVC_STRICT is on; it takes secrets of 32 bytes or more/,
    );
  });

  it.each([
    [{ JWT_SECRET: 'hunter2' }, 'JWT_SECRET'],
    [{ JWT_SECRET: `${STRONG},hunter2` }, 'JWT_SECRET'],
    [{ JWT_SECRET: `hunter2, ${STRONG}` }, 'JWT_SECRET'],
    [{ SVC_ENCRYPTION_KEY: 'hunter2' }, 'SVC_ENCRYPTION_KEY'],
    [{ SVC_ENCRYPTION_KEY: `hunter2,${STRONG}` }, 'SVC_ENCRYPTION_KEY'],
    [{ SVC_PUBLIC_URL: 'http://hunter2.example' }, 'SVC_PUBLIC_URL'],
    [{ SVC_PUBLIC_URL: 'http://localhost.hunter2.example' }, 'SVC_PUBLIC_URL'],
  ])('or a plain-http address in %o stops a strict start in one line, without its value', (env, variable) => {
    const strict = () => parseConfig({ ...NEEDED, ...env, SVC_STRICT: 'on' });
    expect(strict).toThrow(ConfigError);
    expect(strict).toThrow(new RegExp(`^${variable}: the value given is not allowed while SVC_STRICT is on`));
    expect(strict).not.toThrow(/\n|hunter2/);
    const alone = () => parseConfig({ ...env, SVC_REFUSE_INSECURE_SETTINGS: 'on' });
    expect(alone).toThrow(new RegExp(`^${variable}: .* while SVC_REFUSE_INSECURE_SETTINGS is on`));
    parseConfig(env);
    parseConfig({ ...env, SVC_STRICT: 'on', SVC_REFUSE_INSECURE_SETTINGS: 'off' });
  });

  it.each([
    { JWT_SECRET: STRONG, SVC_ENCRYPTION_KEY: STRONG },
    { JWT_SECRET: 'äöüßéøêáñâíçóòúý' },
    // The second encrypts nothing any more.
    { SVC_ENCRYPTION_KEY: `${STRONG},weak` },
    { SVC_PUBLIC_URL: 'http://localhost:8080' },
    { SVC_PUBLIC_URL: 'http://acme.localhost:8080' },
    { SVC_PUBLIC_URL: 'http://127.0.0.1' },
    { SVC_PUBLIC_URL: 'http://[::1]:8080' },
    { SVC_PUBLIC_URL: 'https://findings.example.com' },
    { SVC_BASE_DOMAIN: 'findings.example.com' },
    {},
  ])('is none in %o', (env) => {
    expect(parseConfig({ ...NEEDED, ...env, SVC_STRICT: 'on' }).strict).toBe(true);
  });

  it.each([
    'a'.repeat(64),
    'changeme'.repeat(8),
    Array.from({ length: 8 }, (_, i) => `changeme${i}`).join(''),
    'ChangeMe-changeme_CHANGEME.changeme',
    'password password password password!',
    '0123456789abcdef'.repeat(4),
    '00000000000000000000000000000001',
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'zyxwvutsrqponmlkjihgfedcba9876543210',
    '1111222233334444555566667777888899990000',
    'abcABCabcABCabcABCabcABCabcABCabcABC',
    'CHANGE_ME_TO_A_LONG_RANDOM_SECRET_OF_32_BYTES',
    'your-secret-here-1234567890-abcdef',
    'replace_this_with_a_random_string_of_at_least_32_characters',
    'replace-this-with-the-output-of-openssl-rand-hex-32',
    'a-string-secret-at-least-256-bits-long',
    'supersecretkeythatshouldbechanged',
    'ThisIsAVeryInsecureSecretForDevelopmentOnly',
    'TODO: generate a production password!',
    'a secret for tests only with 32 bytes or more',
  ])('is one that is a placeholder, or repeats characters or words: %s', (secret) => {
    for (const variable of ['JWT_SECRET', 'SVC_ENCRYPTION_KEY']) {
      const strict = () => parseConfig({ ...NEEDED, [variable]: secret, SVC_STRICT: 'on' });
      expect(strict).toThrow(new RegExp(`^${variable}: .*(?:is a placeholder|repeats characters or words)`));
      expect(strict).not.toThrow(secret);
    }
  });

  it('is none in the files that operators copy from', async () => {
    const files = ['.env.example', 'docker-compose.yml', 'README.md'];
    for (const directory of ['docs', 'deploy'])
      for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
        if (entry.isFile() && !entry.parentPath.includes('.vitepress'))
          files.push(join(entry.parentPath, entry.name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const values = texts.flatMap((text) =>
      [...text.matchAll(/\b(?:JWT_SECRET|SVC_ENCRYPTION_KEY)\b["']?[=:] ?["']?([^\s"'`#]+)/g)].map(
        ([, value = '']) => value,
      ),
    );
    expect(values).toContain('<secret>');
    for (const value of values) {
      const strict = () => parseConfig({ ...NEEDED, JWT_SECRET: value, SVC_STRICT: 'on' });
      // Shells and compose replace the others.
      if (!value.startsWith('$')) expect(strict, value).toThrow(ConfigError);
    }
  });

  const pick = (characters: string, length: number) =>
    Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
  it.each<[string, () => string]>([
    ['openssl rand -hex 16', () => randomBytes(16).toString('hex')],
    ['openssl rand -hex 32', () => randomBytes(32).toString('hex')],
    ['openssl rand -base64 24', () => randomBytes(24).toString('base64')],
    ['token_urlsafe(32)', () => randomBytes(32).toString('base64url')],
    ['uuidgen', () => randomUUID()],
    ['a password manager', () => pick('abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789', 32)],
    ['pwgen -A', () => pick('abcdefghijklmnopqrstuvwxyz0123456789', 32)],
    ['base32', () => pick('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 32)],
    [
      'all printable characters',
      () => pick(String.fromCharCode(...Array.from({ length: 94 }, (_, i) => i + 33)).replace(',', ''), 32),
    ],
  ])('is none of 10,000 random ones by %s', (_, generate) => {
    for (let i = 0; i < 10_000; i++) {
      const secret = generate();
      expect(entropyOf(secret), secret).toBeGreaterThan(48);
      if (i % 100 === 0)
        expect(() => parseConfig({ ...NEEDED, JWT_SECRET: secret, SVC_STRICT: 'on' })).not.toThrow();
    }
  });

  it('ends a strict server, and a warning is all that another has for it', async () => {
    afterTest(stopServers);
    const database = await createDatabase();
    afterTest(() => database.drop());
    const env = { ...NEEDED, DATABASE_URL: database.url, JWT_SECRET: 'hunter2', LOG_FORMAT: 'json' };
    const { code, out, err } = await runServer({ ...env, SVC_STRICT: 'on' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^JWT_SECRET: .*\n$/);
    const server = await startServer(env);
    expect(server.log()).toContain('"message":"JWT_SECRET: a secret is shorter than 32 bytes');
    expect(server.log() + err).not.toContain('hunter2');
  });
});

describe('a strict server', () => {
  it('names everything that it lacks or refuses at once, and does not start', async () => {
    const env = {
      SVC_STRICT: 'on',
      SVC_PORT: 'x',
      SVC_REPLICA_MAX_LAG: '0',
      JWT_SECRET: 'changeme'.repeat(4),
    };
    const { code, out, err } = await runServer(env);
    expect([code, out]).toEqual([1, '']);
    expect(
      err
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':', 1)[0]),
    ).toEqual([
      'SVC_PORT',
      'SVC_REPLICA_MAX_LAG',
      'JWT_SECRET',
      'SVC_ENCRYPTION_KEY',
      'SVC_SMTP_URL or RESEND_API_KEY',
    ]);
  });

  it.each(['SVC_ENCRYPTION_KEY', 'SVC_SMTP_URL'] as const)('needs %s', (variable) => {
    const without = { ...NEEDED, [variable]: ' ', JWT_SECRET: STRONG };
    const strict = () => parseConfig({ ...without, SVC_STRICT: 'on' });
    expect(strict).toThrow(new RegExp(`^${variable}.*: must be set while SVC_STRICT is on`));
    expect(strict).not.toThrow(/\n/);
    // An operator who knows better, and the defaults.
    parseConfig({ ...without, SVC_STRICT: 'on', SVC_REFUSE_INSECURE_SETTINGS: 'off' });
    parseConfig(without);
  });

  it('takes Resend for a mail provider, and does not call an invalid address a missing one', () => {
    const { SVC_ENCRYPTION_KEY } = NEEDED;
    parseConfig({ SVC_ENCRYPTION_KEY, RESEND_API_KEY: 're_1', SVC_STRICT: 'on' });
    const invalid = () => parseConfig({ SVC_ENCRYPTION_KEY, SVC_SMTP_URL: 'mail:25', SVC_STRICT: 'on' });
    expect(invalid).toThrow(/^SVC_SMTP_URL: the value given is not allowed; it takes smtp:\S+$/);
  });
});

describe('a trial on the embedded database', () => {
  const config = (dataDir: string, env: Record<string, string> = {}) =>
    parseConfig({ SVC_DATA_DIR: dataDir, ...env });
  const log = {
    warn: (message: string) => {
      throw new Error(message);
    },
  };

  it('makes both secrets once, by whichever server is first, and only for its owner', async () => {
    const dir = join(await temporaryDir(), 'data');
    const made = await Promise.all(Array.from({ length: 20 }, () => withTrialSecrets(config(dir), log)));
    const [first] = made;
    for (const { jwtSecrets, encryptionKeys } of made)
      expect({ jwtSecrets, encryptionKeys }).toEqual({
        jwtSecrets: first?.jwtSecrets,
        encryptionKeys: first?.encryptionKeys,
      });
    expect(first?.jwtSecrets).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(first?.jwtSecrets).not.toEqual(first?.encryptionKeys);
    expect(await readdir(dir)).toEqual(['encryption.key', 'sessions.key']);
    for (const name of await readdir(dir)) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    // A command of the operator reads them.
    expect((await withTrialSecrets(config(dir))).jwtSecrets).toEqual(first?.jwtSecrets);
  });

  it('is not a server with its own database, a strict one, one with secrets, or a command', async () => {
    const dir = join(await temporaryDir(), 'data');
    const both = { JWT_SECRET: STRONG, SVC_ENCRYPTION_KEY: STRONG };
    const others: Record<string, string>[] = [
      { DATABASE_URL: 'postgres://db/x' },
      { ...NEEDED, SVC_STRICT: 'on' },
      both,
    ];
    for (const env of others) {
      const before = config(dir, env);
      expect(await withTrialSecrets(before, log)).toEqual(before);
    }
    expect((await withTrialSecrets(config(dir))).jwtSecrets).toEqual([]);
    await expect(readdir(dir)).rejects.toThrow('ENOENT');
  });

  it('decrypts with the generated key after another was set, and stops the start for a damaged one', async () => {
    const dir = await temporaryDir();
    const [key = ''] = (await withTrialSecrets(config(dir), log)).encryptionKeys;
    const later = { DATABASE_URL: 'postgres://db/x', SVC_ENCRYPTION_KEY: STRONG, JWT_SECRET: NEW };
    const after = await withTrialSecrets(config(dir, later), log);
    expect([after.encryptionKeys, after.jwtSecrets]).toEqual([[STRONG, key], [NEW]]);
    await writeFile(join(dir, 'encryption.key'), 'cut o');
    await expect(withTrialSecrets(config(dir), log)).rejects.toThrow(/encryption\.key: is damaged/);
  });
});

describe('JWT_SECRET as a list', () => {
  let before: TestApp;
  let during: TestApp;
  let after: TestApp;

  beforeAll(async () => {
    before = await startApp({ env: { JWT_SECRET: OLD } });
    const { databaseUrl } = before;
    during = await startApp({ databaseUrl, env: { JWT_SECRET: `${NEW}, ${OLD}` } });
    after = await startApp({ databaseUrl, env: { JWT_SECRET: NEW } });
  });

  it('keeps sessions while the former secret is in it, and signs with the first', async () => {
    const user = await createUser(before.api);
    expect((await me(during, user.cookie)).status).toBe(200);
    expect((await me(after, user.cookie)).status).toBe(401);
    const { cookie = '' } = await during.api.post('/auth/login', {
      body: { email: user.email, password: PASSWORD },
    });
    expect((await me(after, cookie)).status).toBe(200);
    // A server that is not restarted yet does not know the new one.
    expect((await me(before, cookie)).status).toBe(401);
  });

  it('keeps sign-ins that wait for a second factor, and their mailed codes', async () => {
    const user = await createUser(before.api);
    const link = new URL((await before.delivered(user.email)).link ?? '').searchParams;
    const body = { token: link.get('token'), email_id: link.get('email_id') };
    must(await before.api.post('/auth/verify-email', { body }));
    must(await before.api.post('/profile/mfa/enable', { cookie: user.cookie }));
    const login = must(
      await before.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } }),
    );
    const { mfa_token } = login;
    const device_id = login.mfa_methods[0].id;
    must(await before.api.post('/auth/mfa/send-email-otp', { body: { mfa_token, device_id } }));
    const code = /^\d{6}$/m.exec((await before.delivered(user.email)).text)?.[0];
    const ended = await during.api.post('/auth/mfa/validate', { body: { mfa_token, device_id, code } });
    expect(ended.status).toBe(200);
  });

  it('signs sessions with the secret itself, and nothing else with it', async () => {
    const user = await createUser(during.api);
    const raw = new TextEncoder().encode(NEW);
    await jwtVerify(user.cookie, raw, { audience: 'session', algorithms: ['HS256'] });
    const claims = { userId: user.id, id: sessionOf(user.cookie) };
    const mfaToken = await during.services.signedTokens.sign('mfa', claims, new Date());
    await expect(jwtVerify(mfaToken, raw)).rejects.toThrow('signature verification failed');
    const keys = ['mfa tokens', 'e-mail codes', 'mail queue', 'totp secrets'] as const;
    const derived = keys.map((purpose) => deriveKeys([NEW], purpose)[0]?.bytes.toString('hex'));
    expect(new Set([...derived, Buffer.from(NEW).toString('hex')]).size).toBe(5);
  });

  it('names the key of a token, and asks no other', async () => {
    const user = await createUser(during.api);
    const session = sessionOf(user.cookie);
    const { kid } = decodeProtectedHeader(user.cookie);
    expect(kid).toMatch(/^[0-9a-f]{8}$/);
    const claims = { userId: user.id, id: session };
    const now = new Date();
    // As versions without lists have signed them: by either secret.
    for (const secret of [NEW, OLD])
      expect((await me(during, await forge(secret, user, session))).status).toBe(200);
    const { signedTokens } = during.services;
    const named = (secret: string, id: unknown) =>
      forge(secret, user, session, { kid: id }).then((token) => signedTokens.verify('session', token, now));
    expect(await named(NEW, kid)).toEqual({ kind: 'valid', claims });
    expect(await named(OLD, kid), 'the key id of another').toEqual({ kind: 'invalid' });
    expect(await named(NEW, 'ffffffff'), 'an unknown key id').toEqual({ kind: 'invalid' });
    expect(await named('guessed', undefined)).toEqual({ kind: 'invalid' });
  });

  it('takes a secret with a comma, of a version without lists, for reading', async () => {
    const WHOLE = 'one secret, that has a comma in it';
    const [older, now] = [await createSignedTokens([WHOLE]), new Date()];
    const claims = { userId: crypto.randomUUID(), id: crypto.randomUUID() };
    const token = await older.sign('session', claims, now);
    const { jwtSecrets } = parseConfig({ JWT_SECRET: WHOLE });
    expect(jwtSecrets).toEqual(['one secret', 'that has a comma in it', WHOLE]);
    const tokens = await createSignedTokens(jwtSecrets);
    expect(await tokens.verify('session', token, now)).toEqual({ kind: 'valid', claims });
    const byNewer = await tokens.sign('session', claims, now);
    expect(await older.verify('session', byNewer, now)).toEqual({ kind: 'invalid' });
  });
});

/** As the version before sealed TOTP secrets. */
async function sealVersion1(password: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const material = await crypto.subtle.importKey('raw', encoder.encode(password), 'HKDF', false, [
    'deriveKey',
  ]);
  const info = encoder.encode('svc-findings totp secrets');
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info };
  const algorithm = { name: 'AES-GCM', length: 256 };
  const key = await crypto.subtle.deriveKey(derivation, material, algorithm, false, ['encrypt']);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, encoder.encode(text));
  return `v1.${Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64url')}`;
}

describe('a secret box', () => {
  const box = (...secrets: string[]) => createSecretBox(deriveKeys(secrets, 'totp secrets'));

  it('opens what the version before has sealed, or kept as it was', async () => {
    expect(await box(NEW, OLD).open(await sealVersion1(OLD, 'JBSWY3DP'))).toBe('JBSWY3DP');
    expect(await box(NEW).open('plain.JBSWY3DP')).toBe('JBSWY3DP');
    expect(await box().open(await box().seal('JBSWY3DP'))).toBe('JBSWY3DP');
    await expect(box(NEW).open(await sealVersion1(OLD, 'JBSWY3DP'))).rejects.toThrow('no configured key');
  });

  it('opens with the key that sealed, and never tries another', async () => {
    const sealed = await box(OLD).seal('JBSWY3DP');
    expect(sealed).toMatch(/^v2\.[0-9a-f]{8}\.[\w-]+$/);
    expect(sealed.startsWith(box(OLD, NEW).current)).toBe(true);
    expect(await box(NEW, OLD).open(sealed)).toBe('JBSWY3DP');
    await expect(box(NEW).open(sealed)).rejects.toThrow(/^the key [0-9a-f]{8} is not configured$/);
    expect(await box(OLD).seal('JBSWY3DP'), 'a new IV each time').not.toBe(sealed);
  });

  it.each([
    ['shortened', (text: string) => text.slice(0, -4)],
    ['empty', (text: string) => text.slice(0, 12)],
    ['changed', (text: string) => text.slice(0, -2) + (text.endsWith('AA') ? 'BB' : 'AA')],
    ['of another format', () => 'v9.00000000.AAAA'],
  ])('refuses text that is %s', async (_, change) => {
    await expect(box(OLD).open(change(await box(OLD).seal('JBSWY3DP')))).rejects.toThrow();
  });

  it('opens in its own place only', async () => {
    const sealed = await box(OLD).seal('JBSWY3DP', 'one row');
    expect(await box(OLD).open(sealed, 'one row')).toBe('JBSWY3DP');
    await expect(box(OLD).open(sealed, 'another row')).rejects.toThrow();
    await expect(box(OLD).open(sealed)).rejects.toThrow();
  });
});

describe('re-encrypting', () => {
  let database: TestDatabase;
  let old: TestApp;

  beforeAll(async () => {
    database = await createDatabase();
    afterSuite(database.drop);
    old = await startApp({ databaseUrl: database.url, env: { SVC_ENCRYPTION_KEY: OLD } });
  });

  async function admin(SVC_ENCRYPTION_KEY: string) {
    const said = { out: '', err: '' };
    const env = { DATABASE_URL: database.url, SVC_ENCRYPTION_KEY, SVC_DATA_DIR: await temporaryDir() };
    const code = await runAdmin(['secrets', 're-encrypt', '--json'], {
      env,
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
    });
    return { code, ...said, result: said.out === '' ? undefined : JSON.parse(said.out) };
  }

  async function addDevice(app: TestApp, user: TestUser) {
    const body = { name: 'Phone' };
    return must(await app.api.post('/profile/mfa/devices/totp', { cookie: user.cookie, body }));
  }

  const verify = (
    app: TestApp,
    user: TestUser,
    { device, secret }: { device: { id: string }; secret: string },
  ) =>
    app.api.post(`/profile/mfa/devices/totp/${device.id}/verify`, {
      cookie: user.cookie,
      body: { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() },
    });

  it('moves everything to the first key, in batches, beside running servers', async () => {
    const user = await createUser(old.api);
    const made = await addDevice(old, user);
    const { db } = old.services.database;
    const unsealed = { userId: user.id, type: 'totp' as const, verified: false, createdAt: new Date() };
    const fill = Array.from({ length: 250 }, (_, i) => ({
      ...{ ...unsealed, id: crypto.randomUUID(), name: `${i}` },
      secret: `plain.${i}`,
    }));
    fill.push({
      ...unsealed,
      id: crypto.randomUUID(),
      name: 'v1',
      secret: await sealVersion1(OLD, 'JBSWY3DP'),
    });
    await db.insert(mfaDevices).values(fill);
    const org = await createOrg(old.api);
    const body = { url: 'https://hooks.acme.example', events: ['scan.failed'] };
    const { id: webhook, secret: former } = must(await old.api.post('/webhooks', { ...org.asOwner, body }));
    const { secret } = must(await old.api.post(`/webhooks/${webhook}/rotate-secret`, org.asOwner));
    // The mails of members are a destination without a secret.
    must(await old.api.put('/profile/notifications', { ...org.asOwner, body: { assigned: 'daily' } }));
    // Earlier mails are sent and gone. This one stays, because nothing delivers due mails here.
    await old.services.mail.deliverDue();
    await old.services.mail.enqueue(db, 'ada@example.com', {
      subject: 'Hello',
      html: '<p>Hello',
      text: 'Hello',
    });
    const mails = await db.$count(outgoingMails);

    const first = await admin(`${NEW},${OLD}`);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.result).toEqual({
      totp_secrets: { reencrypted: 252, skipped: 0, left: [] },
      client_secrets: { reencrypted: 0, skipped: 0, left: [] },
      webhook_secrets: { reencrypted: 2, skipped: 0, left: [] },
      queued_mails: { reencrypted: mails, skipped: 0, left: [] },
    });
    const rows = await db.select({ secret: mfaDevices.secret }).from(mfaDevices);
    const { current } = createSecretBox(deriveKeys([NEW], 'totp secrets'));
    expect(rows.filter(({ secret }) => !secret?.startsWith(current))).toEqual([]);

    const box = createSecretBox(deriveKeys([NEW], 'totp secrets'));
    const [sealed] = await db.select().from(destinations).where(eq(destinations.id, webhook));
    const opened = [sealed?.secret, sealed?.formerSecret].map((text) =>
      box.open(text ?? '', `destinations ${webhook}`),
    );
    expect(await Promise.all(opened)).toEqual([secret, former]);

    const again = await admin(NEW);
    expect(again.result.totp_secrets).toEqual({ reencrypted: 0, skipped: 0, left: [] });
    const renewed = await startApp({
      databaseUrl: database.url,
      env: { SVC_ENCRYPTION_KEY: NEW },
    });
    expect((await verify(renewed, user, made)).status).toBe(200);
    await renewed.delivered('ada@example.com');
  });

  it('says what no key opens, and leaves it', async () => {
    const user = await createUser(old.api);
    const { device } = await addDevice(old, user);
    const [before] = await old.services.database.db
      .select({ secret: mfaDevices.secret })
      .from(mfaDevices)
      .where(eq(mfaDevices.id, device.id));
    const { code, result } = await admin(NEW);
    expect(code).toBe(1);
    const reason = expect.stringMatching(/^the key [0-9a-f]{8} is not configured$/);
    expect(result.totp_secrets).toEqual({ reencrypted: 0, skipped: 0, left: [{ id: device.id, reason }] });
    const [after] = await old.services.database.db
      .select({ secret: mfaDevices.secret })
      .from(mfaDevices)
      .where(eq(mfaDevices.id, device.id));
    expect(after).toEqual(before);
  });

  it('needs a key', async () => {
    expect(await admin('')).toMatchObject({
      code: 1,
      err: 'SVC_ENCRYPTION_KEY is not set: it is the key to encrypt with\n',
    });
  });
});

describe('without any secret', () => {
  const config = (dataDir: string, env: Record<string, string> = {}) =>
    parseConfig({ SVC_DATA_DIR: dataDir, ...env });
  const silent = { warn: () => {} };

  it('the key of queued mails is made once, by whichever process is first, and only for its owner', async () => {
    const dir = join(await temporaryDir(), 'data');
    const secrets = await Promise.all(Array.from({ length: 20 }, () => readMailSecret(config(dir), silent)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await readdir(dir)).toEqual(['mail.key']);
    expect((await stat(join(dir, 'mail.key'))).mode & 0o777).toBe(0o600);
    // For the mails that still wait, it is also read when there is another key.
    expect(await readMailSecret(config(dir, { JWT_SECRET: STRONG }), silent)).toBe(secrets[0]);
  });

  it('is not made when it is not needed, and a damaged one stops the start', async () => {
    const dir = await temporaryDir();
    expect(await readMailSecret(config(dir, { JWT_SECRET: STRONG }), silent)).toBeUndefined();
    expect(await readdir(dir)).toEqual([]);
    await writeFile(join(dir, 'mail.key'), 'cut o');
    await expect(readMailSecret(config(dir), silent)).rejects.toThrow(/mail\.key: is damaged/);
  });

  it('goes on without a file where none can be written, and says so', async () => {
    const dir = await temporaryDir();
    await writeFile(join(dir, 'data'), 'a file');
    const warned: string[] = [];
    const log = { warn: (message: string) => warned.push(message) };
    expect(await readMailSecret(config(join(dir, 'data')), log)).toBeUndefined();
    expect(warned).toEqual([expect.stringContaining('the key of queued mails cannot be kept')]);
  });

  it('a restart loses no queued mail', async () => {
    afterTest(stopServers);
    const database = await createDatabase();
    afterTest(() => database.drop());
    const sent: { to: string[]; text: string }[] = [];
    let answer = (response: ServerResponse) => response.writeHead(500).end('{}');
    const provider = createServer(async (request, response) => {
      sent.push((await json(request)) as never);
      answer(response.setHeader('content-type', 'application/json'));
    });
    await once(provider.listen(0, '127.0.0.1'), 'listening');
    afterTest(() => provider.close());
    const env = {
      DATABASE_URL: database.url,
      SVC_DATA_DIR: await temporaryDir(),
      RESEND_API_KEY: 'for tests',
      RESEND_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    };
    const first = await startServer(env);
    const { email } = await createUser(first.api);
    await vi.waitFor(() => expect(sent).toHaveLength(1), 10_000);
    await vi.waitFor(() => expect(first.log()).toContain('mail not sent'), 10_000);
    await first.stop('SIGKILL');
    answer = (response) => response.end('{"id":"taken"}');
    const app = await startApp({ databaseUrl: database.url });
    await app.services.database.db.update(outgoingMails).set({ nextAttemptAt: new Date() });
    await startServer(env);
    await vi.waitFor(() => expect(sent).toHaveLength(2), 10_000);
    expect(sent[1]).toMatchObject({ to: [email], text: sent[0]?.text });
    expect((await readFile(join(env.SVC_DATA_DIR, 'mail.key'), 'utf8')).trim()).toHaveLength(64);
  });
});

afterEach(() => vi.restoreAllMocks());
