import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedMigrations } from '../../drizzle/migrations.ts';

/* Rules for all code, which docs/asvs.md refers to. An exception is a file that is named beside its rule. */

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const SERVER = ['server.ts', 'admin.ts', 'worker.ts', 'handlers', 'lib', 'db'];
const UI = ['ui/src'];

/** PostgreSQL, the mail provider, `doctor` at the public address, and the listening sockets. */
const CONNECTING = [
  ...['db/embedded/postmaster.ts', 'db/embedded/session.ts', 'db/pool/connection.ts'],
  ...['lib/admin/doctor/public-address.ts', 'lib/edge/database.ts', 'lib/edge/outbound.ts'],
  ...['lib/mail/resend.ts'],
  ...['lib/node/http-server.ts', 'lib/node/listener.ts', 'lib/node/outbound.ts', 'lib/node/smtp.ts'],
];

/** Texts about weak code, in the demo data. */
const SAMPLES = 'lib/demo/weaknesses.ts';

function filesIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    path.endsWith('.ts')
      ? [path]
      : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
          .filter((name) => /\.tsx?$/.test(name))
          .map((name) => join(path, name))
          .filter((name) => name !== SAMPLES),
  );
}

/** Files with a line that matches, comments aside. */
function filesWith(paths: readonly string[], pattern: RegExp): string[] {
  const files = filesIn(paths);
  expect(files.length).toBeGreaterThan(50);
  return files.filter((file) =>
    read(file)
      .split('\n')
      .some((line) => pattern.test(line.replace(/^\s*(?:\/\/|\/?\*).*/, ''))),
  );
}

describe('the code', () => {
  it('starts programs without a shell', () => {
    const all = [...SERVER, 'agent'];
    expect(
      filesWith(all, /\bshell: |\bexec(?:Sync)?\(\s*['"`]|\{[^}]*\bexec\b[^}]*\} from 'node:child/),
    ).toEqual([]);
    expect(filesWith(all, /from 'node:child_process'/).toSorted()).toEqual([
      ...['agent/delivery/ci-token.ts', 'agent/scanner/scanner.ts', 'agent/workspace/git.ts'],
      ...['db/embedded/postmaster.ts', 'db/embedded/server.ts', 'db/embedded/system.ts'],
      ...['cpu-limit', 'dialogue', 'report-processes'].map((name) => `lib/node/reports/${name}.ts`),
    ]);
  });

  it('runs no text as code', () => {
    const pattern =
      /\beval\(|\bnew Function\b|\bFunction\(['"`]|from 'node:vm'|set(?:Timeout|Interval)\(['"`]/;
    expect(filesWith([...SERVER, 'agent', ...UI], pattern)).toEqual([]);
  });

  it('makes regular expressions of constants and escaped text', () => {
    // Each of the others escapes or checks what it inserts, or inserts constants.
    expect(filesWith([...SERVER, 'agent'], /\bRegExp\((?![A-Z_]+[,)])/).toSorted()).toEqual([
      ...['db/backup/sections.ts', 'db/embedded/cluster.ts', 'lib/accounts/passwords/passwords.ts'],
      ...[
        'lib/findings/triage/mentions.ts',
        'lib/http/bulk/push-batch.ts',
        'lib/importers/formats/burp.ts',
        'lib/importers/text/credentials.ts',
      ],
      ...['lib/importers/text/secrets.ts', 'lib/importers/tools/sarif-details.ts'],
    ]);
  });

  it('connects to configured addresses only', () => {
    const pattern =
      /^(?!import type).*(?:from |\bimport\()'(?:node:(?:net|tls|https|http2|dgram|dns)|undici|postgres|resend|nodemailer)'|(?:await|=>|=|return) fetch\(/;
    expect(filesWith(SERVER, pattern).toSorted()).toEqual(CONNECTING);
    // The web UI loads from its own origin only, which its policy enforces.
    expect(filesWith(UI, /(?:fetch|import)\(\s*['"`]https?:|\bnew (?:WebSocket|EventSource)\(/)).toEqual([]);
  });

  it('gives pages text instead of HTML', () => {
    const pattern = /\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|dangerouslySet|\bsrcDoc\b/;
    expect(filesWith(UI, pattern)).toEqual([]);
  });

  it('masks passwords, and lets password managers and the clipboard fill them in', () => {
    const field = 'ui/src/components/forms/PasswordField.tsx';
    expect(filesWith(UI, /\bPasswordInput\b|type="password"/)).toEqual([field]);
    expect(read(field)).toMatch(/<PasswordInput\s+autoComplete="current-password"/);
    expect(read(field)).toContain('<PasswordField autoComplete="new-password"');
    const changed = filesIn(UI).filter((file) =>
      /<(?:New)?PasswordField\b[^>]*(?:autoComplete="off"|onPaste)/.test(read(file)),
    );
    expect(changed).toEqual([]);
  });

  it('keeps page state only in the storage of browsers', () => {
    const keys = filesIn(UI).flatMap((file) =>
      [...read(file).matchAll(/\b(?:local|session)Storage\.setItem\(([^,]+),/g)].map(([, key = '']) => key),
    );
    expect([...new Set(keys)].toSorted()).toEqual([
      "'org'",
      "'registration'",
      "'reloaded'",
      'SENT',
      'STORED',
    ]);
    expect(filesWith(UI, /\bindexedDB\b|\bcaches\.open\b|document\.cookie/)).toEqual([]);
  });

  it('draws secrets from the CSPRNG', () => {
    // Pauses and turns, and the first number of a sequence.
    expect(filesWith([...SERVER, 'agent'], /\bMath\.random\b/).toSorted()).toEqual([
      ...['db/ids.ts', 'lib/admin/org-placement.ts', 'lib/client/retry.ts', 'lib/deliveries/dispatcher.ts'],
      ...['lib/http/request/session-cookie.ts', 'lib/maintenance/housekeeping.ts', 'lib/orgs/migrations.ts'],
    ]);
  });

  it('hashes with SHA-256', () => {
    const algorithms = filesIn([...SERVER, 'agent']).flatMap((file) =>
      [...read(file).matchAll(/\b(?:createHash|createHmac|digest)\(\s*('[^']+'|[A-Z_]+)/g)].map(
        ([, name = '']) => name.toLowerCase(),
      ),
    );
    expect(
      [...new Set(algorithms)].filter((name) => !/^'(?:sha-?256|hex|base64url|base64)'$/.test(name)),
    ).toEqual([]);
    expect(algorithms.length).toBeGreaterThan(5);
  });

  it('encrypts with authenticated ciphers only', () => {
    expect(filesWith([...SERVER, 'agent'], /\bcreateCipher|\bcreateDecipher|subtle\.encrypt/)).toEqual([
      'lib/crypto/secret-box.ts',
    ]);
    expect(read('lib/crypto/secret-box.ts')).toMatch(/^const CIPHER = 'aes-256-gcm';$/m);
  });

  it('checks types strictly', () => {
    for (const file of ['tsconfig.json', 'ui/tsconfig.json']) {
      expect([file, /"strict": true|"extends": "\.\.\/tsconfig\.json"/.test(read(file))]).toEqual([
        file,
        true,
      ]);
    }
    // The recommended rules of Biome contain those against `==` and `any`.
    expect(JSON.parse(read('biome.json')).linter.rules.preset).toBe('recommended');
    expect(filesWith([...SERVER, 'agent', ...UI], /@ts-(?:ignore|nocheck)/)).toEqual([]);
  });
});

describe('the service', () => {
  it('creates no account in a migration', () => {
    const inserts = sharedMigrations.flatMap(({ statements }) =>
      statements.filter((text) => /insert into [^(]*\busers\b/i.test(text)),
    );
    expect(inserts).toEqual([]);
  });

  it('asks for no hint or secret question', () => {
    // Generated from the API description.
    const fields = read('lib/client/schema.ts').match(/^ +\w+\??:/gm) ?? [];
    expect(fields.length).toBeGreaterThan(500);
    expect(fields.filter((field) => /hint|question|maiden/i.test(field))).toEqual([]);
  });
});

describe('the deployment', () => {
  it('has no default for a password or secret in docker-compose.yml', () => {
    const lines = read('docker-compose.yml')
      .split('\n')
      .filter((line) => /\$\{[A-Z_]*(?:PASSWORD|SECRET|KEY|TOKEN)\b/.test(line));
    expect(lines.length).toBeGreaterThan(3);
    // A text that is no secret: Prometheus needs a file, and the servers refuse such a token in strict mode.
    expect(lines.filter((line) => !/\$\{[A-Z_]+:(?:\?|-unset\})/.test(line))).toEqual([]);
  });

  it('puts the build output only into images and packages', () => {
    expect(read('.dockerignore').split('\n')).toContain('*');
    const last =
      read('Dockerfile')
        .split(/^FROM /m)
        .at(-1) ?? '';
    expect([...last.matchAll(/^COPY (.*)$/gm)].map(([, args]) => args)).toEqual([
      '--from=build /app/node_modules/@node-rs ./node_modules/@node-rs',
      '--from=build /app/package.json /app/LICENSE ./',
      '--from=build /app/dist ./dist',
      '--from=build --chown=65532:65532 /data /data',
    ]);
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    expect(files.filter((name) => !/^!|^dist$|^docs\/|^CHANGELOG\.md$|^\.env\.example$/.test(name))).toEqual(
      [],
    );
  });
});
