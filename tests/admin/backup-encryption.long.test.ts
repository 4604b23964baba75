import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  Decrypter,
  Encrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from 'age-encryption';
import { beforeAll, describe, expect, it } from 'vitest';
import { fill, IDENTITY, KEY, rowsOf, stateOf, writeSecret } from '../support/admin/backup.ts';
import { admin } from '../support/admin/command.ts';
import { createOrg, createScan, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* The encryption of backups: their keys, and files that are not those that were written. */

let t: TestApp;
let org: TestOrg;
let dir: string;
/** Encrypted with `KEY`. */
let good: string;
let bytes: Buffer;
/** The same, not encrypted. */
let plain: Buffer;

const PASSPHRASE = 'correct horse battery staple';
const CHUNK = 64 * 1024 + 16;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  await fill(t, org);
  const scan = await createScan(t.api, org);
  // Five chunks that cannot be compressed.
  for (let i = 0; i < 5; i++)
    await push(t.api, org, scan, { title: `Large ${i}`, description: randomBytes(49_000).toString('hex') });
  dir = mkdtempSync(join(tmpdir(), 'backup-'));
  good = join(dir, 'good.backup');
  await backUp(good, KEY);
  bytes = readFileSync(good);
  const decrypter = new Decrypter();
  decrypter.addIdentity(IDENTITY);
  plain = Buffer.from(await decrypter.decrypt(bytes));
  expect(payload().chunks.length).toBeGreaterThan(3);
});

const run = (...args: string[]) => admin(t.databaseUrl, args);
const newFile = () => join(mkdtempSync(join(tmpdir(), 'backup-')), 'org.backup');

async function backUp(file: string, key: string[]): Promise<void> {
  const made = await run('orgs', 'backup', org.slug, '--file', file, ...key);
  expect(made.code, made.err).toBe(0);
}

/** Restores a copy and compares its rows. */
async function expectRestored(file: string, key: string[], ask?: () => Promise<string>): Promise<void> {
  const slug = `copy-${randomBytes(8).toString('hex')}`;
  const args = ['--json', 'orgs', 'restore-backup', file, '--as', slug, ...key];
  const made = await admin(t.databaseUrl, args, { ask });
  expect(made.code, made.err).toBe(0);
  const copy = await rowsOf(t.services.database, { id: JSON.parse(made.out).org_id });
  expect(copy.findings).toEqual((await rowsOf(t.services.database, org)).findings);
}

async function expectRefused(file: string, key: string[], message: string, code = 1): Promise<void> {
  const before = await stateOf(t.services.database);
  const refused = await run('orgs', 'restore-backup', file, '--as', 'refused', ...key);
  expect(refused).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
  expect(refused.err.trim().split('\n')).toHaveLength(1);
  expect(await stateOf(t.services.database)).toBe(before);
}

const expectBytesRefused = async (changed: Uint8Array, message: string, key = KEY) => {
  const file = newFile();
  writeFileSync(file, changed);
  await expectRefused(file, key, message);
};

/** The header with the nonce, and the chunks after it. */
function payload(): { start: number; chunks: Buffer[] } {
  const mac = bytes.indexOf('\n--- ') + 1;
  const start = bytes.indexOf('\n', mac) + 1 + 16;
  const chunks: Buffer[] = [];
  for (let at = start; at < bytes.length; at += CHUNK) chunks.push(bytes.subarray(at, at + CHUNK));
  return { start, chunks };
}

const rebuilt = (change: (chunks: Buffer[]) => Buffer[]) => {
  const { start, chunks } = payload();
  return Buffer.concat([bytes.subarray(0, start), ...change(chunks)]);
};

const flipped = (at: number) => {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

const encryptedWith = async (identity: string, content: Uint8Array) => {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  return await encrypter.encrypt(content);
};

/** With little work, so that tests are fast. */
const withPassphrase = async (content: Uint8Array, passphrase = PASSPHRASE) => {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(8);
  encrypter.setPassphrase(passphrase);
  return Buffer.from(await encrypter.encrypt(content));
};

describe('a backup', () => {
  it('has no text of the organization in clear, and is restored with its key', async () => {
    for (const clear of ['Finding 0', org.slug, 'svc-findings'])
      expect(bytes.includes(clear), clear).toBe(false);
    expect(gunzipSync(plain).includes('Finding 0')).toBe(true);
    expect(statSync(good).mode & 0o777).toBe(0o600);
    await expectRestored(good, KEY);
  });

  it('is not written without a key, unless that is asked for', async () => {
    const file = newFile();
    const attempts = [[], [...KEY, '--plain'], [...KEY, '--passphrase-file', writeSecret(PASSPHRASE)]];
    for (const key of attempts) {
      const refused = await run('orgs', 'backup', org.slug, '--file', file, ...key);
      expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('choose one of') });
    }
    expect(existsSync(file)).toBe(false);
    await backUp(file, ['--plain']);
    expect(gunzipSync(readFileSync(file)).includes('Finding 0')).toBe(true);
    await expectRestored(file, ['--plain']);
  });

  it('names its encryption in the result and the security event, and never the key', async () => {
    const made = await run('orgs', 'backup', org.slug, '--file', newFile(), ...KEY, '--json');
    expect(JSON.parse(made.out)).toMatchObject({ encryption: 'key' });
    expect(JSON.parse(made.err)).toMatchObject({ event: 'org_backed_up', encryption: 'key' });
    expect(made.out + made.err).not.toContain('AGE-SECRET-KEY');
  });

  it('is not written to or read from a pipe', async () => {
    const pipe = join(dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, dir]) await expectRefused(path, KEY, 'is read twice');
    const refused = await run('orgs', 'backup', org.slug, '--file', '-', ...KEY);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('not to a pipe') });
    expect(existsSync('-')).toBe(false);
  });
});

describe('a key file', () => {
  it('is made by backup-key, for its owner only, and never overwritten', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'key-')), 'backup.key');
    const made = await run('backup-key', file, '--json');
    expect(made.code, made.err).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const key = readFileSync(file, 'utf8');
    expect(made.out + made.err).not.toContain(key.trim().split('\n').at(-1));
    expect(await run('backup-key', file)).toMatchObject({ code: 1, err: expect.stringContaining('exists') });
    expect(readFileSync(file, 'utf8')).toBe(key);
    const backup = newFile();
    await backUp(backup, ['--key-file', file]);
    await expectRestored(backup, ['--key-file', file]);
    await expectRefused(backup, KEY, 'the key is not that of this backup');
  });

  it('with several keys encrypts with the first, and opens what any of them has encrypted', async () => {
    const renewed = await generateHybridIdentity();
    const both = ['--key-file', writeSecret('# rotated', '', renewed, ` ${IDENTITY}\r`)];
    await expectRestored(good, both);
    const file = newFile();
    await backUp(file, both);
    await expectRestored(file, ['--key-file', writeSecret(renewed)]);
    await expectRefused(file, KEY, 'the key is not that of this backup');
  });

  it.each([
    ['is missing', () => join(dir, 'none'), 'cannot be read'],
    ['is empty', () => writeSecret('# only a comment'), 'has no key'],
    [
      'has a public key',
      () => writeSecret('age1cc5namglqcz44fmqmpmtjslpsuupkejh9jpeszffdnrr2cy0fvqqskgntd'),
      'public key',
    ],
    ['has another text', () => writeSecret(IDENTITY, 'hunter2 hunter2'), 'not a secret key'],
    ['has a mistyped key', () => writeSecret(IDENTITY.replace(/.$/, 'B')), 'not a secret key'],
    ['is the backup', () => good, 'UTF-8'],
  ])('is refused that %s', async (_, path, message) => {
    const file = newFile();
    const refused = await run('orgs', 'backup', org.slug, '--file', file, '--key-file', path());
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining(message) });
    expect(refused.err).not.toMatch(/hunter2|AGE-SECRET-KEY-1/);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a passphrase', () => {
  it('comes from a file, with or without a line break, or from the terminal', async () => {
    const file = newFile();
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return PASSPHRASE;
    };
    const made = await admin(t.databaseUrl, ['orgs', 'backup', org.slug, '--file', file, '--passphrase'], {
      ask,
    });
    expect(made.code, made.err).toBe(0);
    expect(asked).toHaveLength(2);
    const withoutLineBreak = newFile();
    writeFileSync(withoutLineBreak, PASSPHRASE);
    await expectRestored(file, ['--passphrase-file', withoutLineBreak]);
    await expectRestored(file, ['--passphrase'], () => ask(''));
    expect(asked).toHaveLength(3);
  });

  it.each<[string, string[], () => string]>([
    ['is empty', ['the passphrase must be'], () => writeSecret('')],
    ['has several lines', ['the passphrase must be'], () => writeSecret(PASSPHRASE, PASSPHRASE)],
    ['is short', ['has 7 characters'], () => writeSecret('hunter2')],
    ['is random bytes', ['UTF-8'], () => good],
  ])('is refused for a new backup that %s', async (_, [message = ''], path) => {
    const file = newFile();
    const refused = await run('orgs', 'backup', org.slug, '--file', file, '--passphrase-file', path());
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(message) });
    expect(refused.err).not.toContain('hunter2');
    expect(existsSync(file)).toBe(false);
  });

  it('that was typed is refused if it differs the second time, or if there is no terminal', async () => {
    const file = newFile();
    const args = ['orgs', 'backup', org.slug, '--file', file, '--passphrase'];
    let typed = 0;
    const ask = async () => `${PASSPHRASE} ${typed++}`;
    expect(await admin(t.databaseUrl, args, { ask })).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('differ') },
    });
    expect(await run(...args)).toMatchObject({ code: 1, err: expect.stringContaining('no terminal') });
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });
});

describe('nothing is restored of a file that', () => {
  it.each<[string, () => Uint8Array, string]>([
    ['ends in its header', () => bytes.subarray(0, 100), 'cannot be opened'],
    ['ends after its header', () => bytes.subarray(0, payload().start - 16), 'truncated or changed'],
    ['ends before its last byte', () => bytes.subarray(0, -1), 'truncated or changed'],
    ['ends after a whole chunk', () => rebuilt((chunks) => chunks.slice(0, 2)), 'truncated or changed'],
    ['lacks its last chunk', () => rebuilt((chunks) => chunks.slice(0, -1)), 'truncated or changed'],
    ['lacks a chunk', () => rebuilt((chunks) => chunks.toSpliced(1, 1)), 'truncated or changed'],
    ['has a chunk twice', () => rebuilt(([a, ...b]) => [a, a, ...b] as Buffer[]), 'truncated or changed'],
    [
      'has swapped chunks',
      () => rebuilt(([a, b, ...rest]) => [b, a, ...rest] as Buffer[]),
      'truncated or changed',
    ],
    ['has a changed header', () => flipped(60), 'cannot be opened'],
    ['has a changed nonce', () => flipped(payload().start - 1), 'truncated or changed'],
    ['has a changed byte in its first chunk', () => flipped(payload().start), 'truncated or changed'],
    [
      'has a changed byte in a later chunk',
      () => flipped(payload().start + CHUNK + 9),
      'truncated or changed',
    ],
    ['has a changed last byte', () => flipped(bytes.length - 1), 'truncated or changed'],
    ['has a byte after its end', () => Buffer.concat([bytes, Buffer.from('x')]), 'truncated or changed'],
    [
      'has zero bytes after its end',
      () => Buffer.concat([bytes, Buffer.alloc(CHUNK)]),
      'truncated or changed',
    ],
    ['has another file after its end', () => Buffer.concat([bytes, bytes]), 'truncated or changed'],
    ['is not encrypted, in place of one that was', () => plain, 'is not encrypted'],
    ['is empty', () => Buffer.alloc(0), 'is not encrypted'],
  ])('%s', async (_, make, message) => {
    await expectBytesRefused(make(), message);
  });

  it('is encrypted with the key of another, or contains something else', async () => {
    const foreign = await encryptedWith(await generateX25519Identity(), plain);
    await expectBytesRefused(foreign, 'the key is not that of this backup');
    await expectBytesRefused(await encryptedWith(IDENTITY, Buffer.from('hello')), 'not compressed');
    const padded = Buffer.concat([plain, Buffer.alloc(3 * CHUNK)]);
    await expectBytesRefused(await encryptedWith(IDENTITY, padded), 'after its end');
  });

  it('needs another kind of key, or another passphrase', async () => {
    const passphrase = ['--passphrase-file', writeSecret(PASSPHRASE)];
    const sealed = await withPassphrase(plain);
    await expectBytesRefused(sealed, 'is encrypted with a passphrase');
    await expectBytesRefused(sealed, 'is encrypted with a passphrase', ['--plain']);
    await expectRefused(good, passphrase, 'is encrypted with a key');
    await expectRefused(good, ['--plain'], 'is encrypted with a key');
    await expectRefused(good, [], 'choose one of', 2);
    await expectBytesRefused(
      await withPassphrase(plain, 'another passphrase'),
      'the passphrase is not',
      passphrase,
    );
  });

  it('asks for more work or memory than a backup needs', async () => {
    const passphrase = ['--passphrase-file', writeSecret(PASSPHRASE)];
    const sealed = (await withPassphrase(plain)).toString('latin1');
    for (const work of ['19', '20', '63', '4294967296', '9'.repeat(400)])
      await expectBytesRefused(
        Buffer.from(sealed.replace(/^(-> scrypt \S+) 8$/m, `$1 ${work}`), 'latin1'),
        'steps to check the passphrase',
        passphrase,
      );
    const magic = 'age-encryption.org/v1\n';
    const stanza = (await encryptedWith(IDENTITY, plain)).subarray(magic.length, magic.length + 99);
    const before = process.memoryUsage().rss;
    for (const header of [
      'A'.repeat(64 * 1024 * 1024),
      '-> X25519 A\n\n'.repeat(5_000_000),
      Buffer.from(stanza).toString().repeat(500_000),
    ])
      await expectBytesRefused(Buffer.from(magic + header), 'cannot be opened');
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024);
  });
});
