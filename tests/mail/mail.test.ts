import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { domainToUnicode } from 'node:url';
import { eq, not, sql } from 'drizzle-orm';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { createIds } from '../../db/ids.ts';
import { mailQueue, outgoingMails } from '../../db/schema/platform.ts';
import { retryMails } from '../../lib/admin/mails.ts';
import { parseConfig } from '../../lib/config/parse.ts';
import { deriveKeys } from '../../lib/crypto/keys.ts';
import { createSecretBox } from '../../lib/crypto/secret-box.ts';
import { createLogger } from '../../lib/logger.ts';
import type { Digest } from '../../lib/mail/digests.ts';
import type { Mail, Mailer, OutgoingMail } from '../../lib/mail/mailer.ts';
import { createMailQueue, type MailQueueOptions } from '../../lib/mail/queue.ts';
import {
  accountChanged,
  passwordChanged,
  primaryEmailChanged,
  primaryEmailRestored,
} from '../../lib/mail/templates/changes.ts';
import { addNotice, type Collected, collected } from '../../lib/mail/templates/collected.ts';
import { invitation, setPassword } from '../../lib/mail/templates/invitations.ts';
import { controlChanged, orgDeleted, ownershipLost } from '../../lib/mail/templates/organizations.ts';
import {
  emailCode,
  loginNotification,
  resetPassword,
  verifyEmail,
} from '../../lib/mail/templates/sign-in.ts';
import { readBacklog } from '../../lib/maintenance/backlog.ts';
import { housekeeping, startTasks } from '../../lib/maintenance/housekeeping.ts';
import { createNodeMailer } from '../../lib/node/mailer.ts';
import type { Services } from '../../lib/services.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { limit } from '../support/run/limits.ts';
import { silentLog } from '../support/server/log.ts';
import { MAIL_TAGS } from './kit.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TOKEN = 'feed1c0de5'.repeat(6);
const CODE = '481516';
const publicUrl = 'https://findings.example.com';
const LINK = `${publicUrl}/reset-password?token=${TOKEN}`;

const reset = resetPassword({ name: 'Ada Lovelace', publicUrl, token: TOKEN });
const outgoing: OutgoingMail = {
  id: '0190c1d2-0000-7000-8000-000000000001',
  recipient: 'ada@example.com',
  ...reset,
};

/** Clean-ups that run after each test, last first. */
const undo: (() => unknown)[] = [];
let lines: string[] = [];
const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
const logged = (message: string) =>
  lines.map((line) => JSON.parse(line)).filter((line) => line.message === message);

beforeEach(() => {
  lines = [];
});

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
  const leaks = lines.filter(
    (line) => !line.includes('mail in the outbox') && (line.includes(TOKEN) || line.includes(CODE)),
  );
  expect(leaks, 'links and codes are not logged').toEqual([]);
});

interface ResendRequest {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  body: any;
}

/** Resend's API on loopback; `answer` decides about each mail. */
async function startResend() {
  const fake = {
    url: '',
    requests: [] as ResendRequest[],
    /** Status and body, or undefined never to answer. */
    answer: (): [status: number, body: string, headers?: OutgoingHttpHeaders] | undefined => [
      200,
      '{"id":"taken"}',
    ],
  };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await readText(request));
    fake.requests.push({ path: request.url, headers: request.headers, body });
    const answer = fake.answer();
    if (!answer) return;
    const [status, text, headers] = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return fake;
}

const resendMailer = (url: string) =>
  createNodeMailer(
    parseConfig({
      RESEND_API_KEY: 're_key',
      RESEND_BASE_URL: url,
      SVC_MAIL_FROM: 'Findings <no-reply@x.org>',
    }),
    log,
  );

/** A mail server on loopback. */
async function startSmtp(options: SMTPServerOptions = {}) {
  const mails: { from: string; to: string[]; source: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope;
      const source = await readText(stream);
      const from = mailFrom ? mailFrom.address : '';
      mails.push({ from, to: rcptTo.map(({ address }) => address), source });
      done();
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => new Promise<void>((resolve) => server.close(resolve)));
  return { mails, port: (server.server.address() as AddressInfo).port };
}

function smtpMailer(url: string) {
  const mailer = createNodeMailer(
    parseConfig({ SVC_SMTP_URL: url, SVC_MAIL_FROM: 'Findings <no-reply@x.org>' }),
    log,
  );
  undo.push(() => mailer.close?.());
  return mailer;
}

/** The parts of a mail, decoded. */
function decode(source: string) {
  const quoted = /=\r\n|((?:=[0-9A-F]{2})+)/g;
  const text = source.replace(quoted, (_, hex) => (hex ? decodeURIComponent(hex.replaceAll('=', '%')) : ''));
  return text.replaceAll('\r\n', '\n');
}

describe('resend', () => {
  it('gets the mail, with its id as idempotency key', async () => {
    const resend = await startResend();
    // The SDK's own variable is not what decides.
    vi.stubEnv('RESEND_BASE_URL', 'http://127.0.0.1:9');
    undo.push(() => vi.unstubAllEnvs());
    const mailer = resendMailer(`${resend.url}/`);
    expect(mailer.name).toBe('resend');
    await mailer.send(outgoing);
    expect(resend.requests).toHaveLength(1);
    const [{ path, headers, body } = {}] = resend.requests as [ResendRequest?];
    expect(path).toBe('/emails');
    expect(headers).toMatchObject({ authorization: 'Bearer re_key', 'idempotency-key': outgoing.id });
    expect(body).toEqual({
      from: 'Findings <no-reply@x.org>',
      to: ['ada@example.com'],
      subject: reset.subject,
      html: reset.html,
      text: reset.text,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  });

  it.each([
    [
      'an error',
      422,
      '{"statusCode":422,"name":"validation_error","message":"Invalid `to` field"}',
      /Invalid `to`/,
    ],
    ['an error that is no JSON', 502, '<h1>Bad Gateway</h1>', /application_error/],
    ['an error without content', 500, 'null', /no answer/],
    ['a success cut short', 200, '{"id":', /application_error/],
  ])('did not take a mail when it answers with %s', async (_, status, body, message) => {
    const resend = await startResend();
    resend.answer = () => [status, body];
    await expect(resendMailer(resend.url).send(outgoing)).rejects.toThrow(message);
  });

  it('does not follow a redirect with the mail', async () => {
    const elsewhere = await startResend();
    const resend = await startResend();
    resend.answer = () => [307, '', { location: `${elsewhere.url}/emails` }];
    await expect(resendMailer(resend.url).send(outgoing)).rejects.toThrow(/307/);
    expect(resend.requests).toHaveLength(1);
    expect(elsewhere.requests).toEqual([]);
  });

  it('gives up a request by its signal', async () => {
    const resend = await startResend();
    resend.answer = () => undefined;
    const sending = resendMailer(resend.url).send(outgoing, AbortSignal.timeout(50));
    await expect(sending).rejects.toThrow();
  });
});

describe('smtp', () => {
  it('delivers both forms of the mail, over one connection', async () => {
    let connections = 0;
    const smtp = await startSmtp({
      onConnect(_, done) {
        connections++;
        done();
      },
    });
    const mailer = smtpMailer(`smtp://127.0.0.1:${smtp.port}`);
    expect(mailer.name).toBe('smtp');
    await mailer.send(outgoing);
    await mailer.send({ ...outgoing, subject: 'Grüße' });
    expect(smtp.mails).toHaveLength(2);
    expect(connections).toBe(1);
    const [{ from, to, source } = { from: '', to: [], source: '' }] = smtp.mails;
    expect({ from, to }).toEqual({ from: 'no-reply@x.org', to: ['ada@example.com'] });
    const mail = decode(source);
    expect(mail).toContain('From: Findings <no-reply@x.org>\n');
    expect(mail).toContain('To: ada@example.com\n');
    expect(mail).toContain(`Subject: ${reset.subject}\n`);
    expect(mail).toContain(`Message-ID: <${outgoing.id}@x.org>\n`);
    expect(mail).toMatch(/^Content-Type: multipart\/alternative/m);
    expect(mail).toContain(reset.text.trim());
    expect(mail).toContain(reset.html.trim());
  });

  it('signs in with the user and password of the URL, decoded', async () => {
    const seen: unknown[] = [];
    const smtp = await startSmtp({
      authOptional: false,
      onAuth({ username, password }, _, done) {
        seen.push(username, password);
        done(null, { user: username });
      },
    });
    await smtpMailer(`smtp://robot%40x.org:p%40ss%2Fword@127.0.0.1:${smtp.port}`).send(outgoing);
    expect(seen).toEqual(['robot@x.org', 'p@ss/word']);
  });

  it('has one recipient, whatever the address looks like', async () => {
    const smtp = await startSmtp();
    const mailer = smtpMailer(`smtp://127.0.0.1:${smtp.port}`);
    const recipient = 'a@example.com, b@example.com\r\nBcc: c@example.com';
    await mailer.send({ ...outgoing, recipient, subject: 'x\r\nBcc: d@example.com' }).catch(() => {});
    for (const { to, source } of smtp.mails) {
      expect(to).toHaveLength(1);
      expect(source).not.toMatch(/^Bcc/im);
    }
  });

  it.each(["o'brien!#$%&*+/=?^_`{|}~-x@example.com", '-o-all@example.com', 'ada@xn--bcher-kva.xn--p1ai'])(
    'delivers to %s as it is',
    async (recipient) => {
      const smtp = await startSmtp();
      await smtpMailer(`smtp://127.0.0.1:${smtp.port}`).send({ ...outgoing, recipient });
      const [mail] = smtp.mails;
      const [local, domain = ''] = recipient.split('@');
      // The test's server shows domains in Unicode.
      expect(mail?.to).toEqual([`${local}@${domainToUnicode(domain)}`]);
      expect(mail?.source.match(/^To: .*/gm)).toEqual([`To: ${recipient}`]);
    },
  );

  it('fails when the server is gone, refuses, or does not greet in time', async () => {
    await expect(smtpMailer('smtp://127.0.0.1:9').send(outgoing)).rejects.toThrow('ECONNREFUSED');
    const refusing = await startSmtp({
      onRcptTo: (_, __, done) => done(new Error('no such user')),
    });
    await expect(smtpMailer(`smtp://127.0.0.1:${refusing.port}`).send(outgoing)).rejects.toThrow(
      'no such user',
    );
    const silent = await startSmtp({ onConnect: () => {} });
    const sending = smtpMailer(`smtp://127.0.0.1:${silent.port}`).send(outgoing, AbortSignal.timeout(50));
    await expect(sending).rejects.toThrow();
  });

  it('connects anew after it was closed', async () => {
    const smtp = await startSmtp();
    const mailer = smtpMailer(`smtp://127.0.0.1:${smtp.port}`);
    await mailer.send(outgoing);
    mailer.close?.();
    await mailer.send(outgoing);
    expect(smtp.mails).toHaveLength(2);
  });
});

describe('the local outbox', () => {
  it('keeps each mail as a line of a private file, and shows its link in the log', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'svc-mail-'));
    undo.push(() => rm(parent, { recursive: true }));
    const dataDir = join(parent, 'not', 'there');
    const mailer = createNodeMailer(parseConfig({ SVC_DATA_DIR: dataDir }), log);
    expect(mailer.name).toBe('outbox');
    await Promise.all([mailer.send(outgoing), mailer.send({ ...outgoing, ...emailCode({ code: CODE }) })]);

    const file = join(dataDir, 'outbox.jsonl');
    const mails = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(mails).toHaveLength(2);
    expect(mails.find(({ subject }) => subject === reset.subject)).toMatchObject({ ...outgoing, link: LINK });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const shown = logged('mail in the outbox');
    expect(shown).toHaveLength(2);
    const { recipient, subject } = outgoing;
    expect(shown).toContainEqual(expect.objectContaining({ level: 'info', recipient, subject, link: LINK }));
  });
});

describe('the queue', () => {
  let test: TestDatabase;
  let database: Database;
  let now = 0;
  const clock = () => new Date(now);
  let nextId = createIds(clock);

  beforeAll(async () => {
    test = await createDatabase();
    database = openDatabase({ url: test.url, max: 5 });
  });

  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  beforeEach(async () => {
    now = Date.now();
    // Times of ids never go back: those of an earlier test may be ahead.
    nextId = createIds(clock);
    await database.db.delete(outgoingMails);
    await database.db.delete(mailQueue);
  });

  const boxOf = (...secrets: string[]) => createSecretBox(deriveKeys(secrets, 'mail queue'));
  const box = boxOf('a secret for tests only');

  /** A queue that is stopped after the test. */
  function open(mailer: Mailer, options: Partial<MailQueueOptions> = {}) {
    const queue = createMailQueue({ db: database.db, mailer, box, log, clock, nextId, ...options });
    undo.push(() => queue.stop());
    return queue;
  }

  /** A mailer that remembers what it was given. */
  function recorder(send: (mail: OutgoingMail) => Promise<unknown> | unknown = () => {}) {
    const mails: OutgoingMail[] = [];
    const mailer: Mailer = {
      name: 'recorder',
      async send(mail) {
        mails.push(mail);
        await send(mail);
      },
    };
    return { mails, mailer };
  }

  const waiting = () => database.db.select().from(outgoingMails);
  /** The row of the only mail to an address. */
  async function rowOf(recipient: string): Promise<string> {
    for (const { id, sealed } of await waiting()) {
      if (JSON.parse(await box.open(sealed, id)).recipient === recipient) return id;
    }
    throw new Error(`no mail to ${recipient}`);
  }
  const never = () => new Promise<never>(() => {});

  it('delivers a mail once, and erases it', async () => {
    const { mails, mailer } = recorder();
    const queue = open(mailer);
    await queue.enqueue(database.db, 'ada@example.com', reset);
    const [row] = await waiting();
    expect(await queue.deliverDue()).toBe(1);
    expect(mails).toEqual([{ id: row?.id, recipient: 'ada@example.com', ...reset, link: LINK }]);
    expect(await waiting()).toEqual([]);
    expect(await queue.deliverDue()).toBe(0);
    expect(mails).toHaveLength(1);
  });

  it('delivers what was committed, and nothing of what was not', async () => {
    const { mails, mailer } = recorder();
    const queue = open(mailer);
    const failing = database.db.transaction(async (tx) => {
      await queue.enqueue(tx, 'nobody@example.com', reset);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await database.db.transaction(async (tx) => {
      await queue.enqueue(tx, 'ada@example.com', reset);
      // Not there for others yet.
      expect(await queue.deliverDue()).toBe(0);
    });
    expect(await queue.deliverDue()).toBe(1);
    expect(mails.map(({ recipient }) => recipient)).toEqual(['ada@example.com']);
  });

  it('keeps no recipient, text or link in clear while a mail waits', async () => {
    const queue = open({ name: 'down', send: () => Promise.reject(new Error('down')) });
    await queue.enqueue(database.db, 'ada@example.com', reset);
    await queue.deliverDue();
    const stored = await database.sql.unsafe(`
      select row_to_json(o)::text as row from shared.outgoing_mails o
      union all select row_to_json(q)::text from shared.mail_queue q`);
    expect(stored).toHaveLength(1);
    const text = JSON.stringify(stored);
    for (const secret of ['ada@example.com', LINK, TOKEN, 'Reset', 'http'])
      expect(text).not.toContain(secret);
  });

  it('opens a mail in its own row only', async () => {
    const { mails, mailer } = recorder();
    const queue = open(mailer);
    await queue.enqueue(database.db, 'ada@example.com', reset);
    await queue.enqueue(database.db, 'mallory@example.com', reset);
    const [to, from] = [await rowOf('ada@example.com'), await rowOf('mallory@example.com')];
    // Somebody who may write to the table has Ada's mail sent once more, as another.
    const moved = database.db.select({ sealed: outgoingMails.sealed }).from(outgoingMails);
    await database.db
      .update(outgoingMails)
      .set({ sealed: sql`(${moved.where(eq(outgoingMails.id, to))})` })
      .where(eq(outgoingMails.id, from));
    expect(await queue.deliverDue()).toBe(1);
    expect(mails.map(({ id }) => id)).toEqual([to]);
  });

  it('sends what was sealed with a former key, or with any that is set', async () => {
    const { mails, mailer } = recorder();
    await open(mailer, { box: boxOf('old') }).enqueue(database.db, 'old@example.com', reset);
    const rotated = open(mailer, { box: boxOf('new', 'old') });
    await rotated.enqueue(database.db, 'new@example.com', reset);
    expect(await rotated.deliverDue()).toBe(2);
    expect(mails.map(({ recipient }) => recipient)).toEqual(['old@example.com', 'new@example.com']);
  });

  it('tries a mail again whose key is gone, says why, and gives it up after a day', async () => {
    const { mails, mailer } = recorder();
    await open(mailer, { box: boxOf('gone') }).enqueue(database.db, 'ada@example.com', reset);
    const queue = open(mailer);
    expect(await queue.deliverDue()).toBe(0);
    const [line] = logged('mail not sent');
    expect(line).toMatchObject({ level: 'warn', attempts: 1 });
    expect(line.error).toMatch(/^the mail cannot be opened: the key [0-9a-f]{8} is not configured$/);
    now += 24 * HOUR;
    await queue.deliverDue();
    expect(logged('mail given up')).toHaveLength(1);
    expect(await waiting()).toEqual([]);
    expect(mails).toEqual([]);
  });

  it('sends what servers of the version before write meanwhile', async () => {
    const { mails, mailer } = recorder();
    const queue = open(mailer);
    const older = Array.from({ length: 6 }, (_, i) => {
      const { id, at } = nextId();
      const content = { subject: 'Hello', html: '<p>Hello', text: 'Hello', link: LINK };
      return { id, recipient: `user-${i}@example.com`, ...content, nextAttemptAt: at, createdAt: at };
    });
    await database.db.insert(mailQueue).values(older);
    await queue.enqueue(database.db, 'ada@example.com', reset);
    void queue.deliverDue();
    await vi.waitFor(() => expect(mails).toHaveLength(7));
    await vi.waitFor(async () => expect(await database.db.select().from(mailQueue)).toEqual([]));
    expect(mails.find(({ recipient }) => recipient === 'user-5@example.com')).toEqual({
      id: older[5]?.id,
      recipient: 'user-5@example.com',
      ...{ subject: 'Hello', html: '<p>Hello', text: 'Hello', link: LINK },
    });
  });

  it('only pretends to write a mail to nobody', async () => {
    const { mails, mailer } = recorder();
    const queue = open(mailer);
    await database.db.transaction((tx) => queue.pretend(tx, reset));
    expect(await waiting()).toEqual([]);
    expect(await queue.deliverDue()).toBe(0);
    expect(mails).toEqual([]);
  });

  it('keeps a mail while the provider is down, tries again later, and erases it then', async () => {
    const resend = await startResend();
    const down = '{"statusCode":500,"name":"internal_server_error","message":"down"}';
    resend.answer = () => [500, down];
    const queue = open(resendMailer(resend.url));
    await queue.enqueue(database.db, 'ada@example.com', reset);
    expect(await queue.deliverDue()).toBe(0);
    const [kept] = await waiting();
    expect(kept).toMatchObject({ attempts: 1 });
    expect(logged('mail not sent')).toEqual([
      expect.objectContaining({
        level: 'warn',
        id: kept?.id,
        attempts: 1,
        error: 'internal_server_error: down (500)',
      }),
    ]);

    now += 20_000;
    expect(await queue.deliverDue()).toBe(0);
    expect(resend.requests, 'not tried again before its time').toHaveLength(1);
    now += 10_000;
    expect(await queue.deliverDue()).toBe(0);
    expect(resend.requests).toHaveLength(2);
    now += 30_000;
    await queue.deliverDue();
    expect(resend.requests, 'waits longer each time').toHaveLength(2);

    resend.answer = () => [200, '{"id":"taken"}'];
    now += 30_000;
    expect(await queue.deliverDue()).toBe(1);
    expect(await waiting()).toEqual([]);
    expect(new Set(resend.requests.map(({ headers }) => headers['idempotency-key']))).toEqual(
      new Set([kept?.id]),
    );
  });

  it('gives a mail up after a day, and says so', async () => {
    const resend = await startResend();
    const invalid = { statusCode: 422, name: 'validation_error', message: `Invalid recipient for ${LINK}` };
    resend.answer = () => [422, JSON.stringify(invalid)];
    const outcomes: string[] = [];
    const queue = open(resendMailer(resend.url), { onOutcome: (outcome) => outcomes.push(outcome) });
    await queue.enqueue(database.db, 'no@example.com', reset);
    for (let hour = 0; hour < 24; hour++) {
      await queue.deliverDue();
      now += HOUR;
    }
    expect(logged('mail not sent')).toHaveLength(24);
    expect(await waiting()).toHaveLength(1);
    await queue.deliverDue();
    expect(await waiting()).toEqual([]);
    expect(outcomes).toEqual([...Array(24).fill('failed'), 'given_up']);
    const [line, ...more] = logged('mail given up');
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'error', recipient: 'no@example.com', attempts: 25 });
    expect(line.error).toMatch(/Invalid recipient for https:\/\/findings.example.com/);
    now += HOUR;
    expect(await queue.deliverDue()).toBe(0);
    expect(resend.requests).toHaveLength(25);
  });

  it('does not log what a mail server quotes of a mail', async () => {
    const smtp = await startSmtp({
      async onData(stream, _, done) {
        const quoted = (await readText(stream)).includes(CODE) ? CODE : LINK;
        done(new Error(`listed as spam: ${quoted}`));
      },
    });
    const queue = open(smtpMailer(`smtp://127.0.0.1:${smtp.port}`));
    await queue.enqueue(database.db, 'ada@example.com', reset);
    await queue.enqueue(database.db, 'ada@example.com', emailCode({ code: CODE }));
    await queue.deliverDue();
    const errors = logged('mail not sent').map(({ error }) => error);
    expect(errors.sort()).toEqual([
      expect.stringMatching(/listed as spam: https:\/\/findings.example.com\/reset-password\?token=…$/),
      expect.stringMatching(/listed as spam: …$/),
    ]);
  });

  it('holds up nobody while the provider is slow', async () => {
    const resend = await startResend();
    resend.answer = () => undefined;
    const tasks: Promise<unknown>[] = [];
    const sendMs = limit(1_000);
    const queue = open(resendMailer(resend.url), {
      timing: { sendMs },
      background: (task) => tasks.push(task),
    });
    await queue.enqueue(database.db, 'ada@example.com', reset);
    queue.kick();
    await vi.waitFor(() => expect(resend.requests).toHaveLength(1));
    // No lock is held while the provider thinks.
    await queue.enqueue(database.db, 'bob@example.com', reset);
    queue.kick();
    await vi.waitFor(() => expect(resend.requests).toHaveLength(2));
    // The first send still waits for its answer.
    expect(logged('mail not sent')).toEqual([]);

    await Promise.all(tasks);
    expect(logged('mail not sent').map(({ error }) => error)).toEqual(
      Array(2).fill(`no answer within ${sendMs} ms`),
    );
    expect(await waiting()).toHaveLength(2);
  });

  it('is not stopped by a mail that fails in any way', async () => {
    const { mails, mailer } = recorder(({ recipient }) => {
      if (recipient.startsWith('bad')) throw 'not even an error';
    });
    const queue = open(mailer);
    for (const recipient of [
      'bad1@x.org',
      'bad2@x.org',
      'good@x.org',
      'bad3@x.org',
      'bad4@x.org',
      'good@x.org',
    ])
      await queue.enqueue(database.db, recipient, reset);
    expect(await queue.deliverDue()).toBe(2);
    expect(mails).toHaveLength(6);
    expect(await waiting()).toHaveLength(4);
  });

  it('sends a few mails at the same time, oldest first', async () => {
    let underWay = 0;
    let most = 0;
    const { mails, mailer } = recorder(async () => {
      most = Math.max(most, ++underWay);
      await sleep(5);
      underWay--;
    });
    const queue = open(mailer);
    for (let i = 0; i < 13; i++) {
      await queue.enqueue(database.db, `user-${i}@example.com`, reset);
      now++;
    }
    const oldest = eq(outgoingMails.id, await rowOf('user-12@example.com'));
    await database.db
      .update(outgoingMails)
      .set({ nextAttemptAt: new Date(now - HOUR) })
      .where(oldest);
    expect(await queue.deliverDue()).toBe(13);
    expect(most).toBe(4);
    const order = mails.map(({ recipient }) => Number(/\d+/.exec(recipient)));
    expect(order.slice(0, 4).sort((a, b) => a - b)).toEqual([0, 1, 2, 12]);
  });

  it('sends at a command of an operator what waits for its next attempt, and nothing that is being sent', async () => {
    const { mails, mailer } = recorder(() => {});
    const queue = open(mailer);
    now = Date.now();
    const dueIn = async (recipient: string, ms: number) => {
      await queue.enqueue(database.db, recipient, reset);
      const row = eq(outgoingMails.id, await rowOf(recipient));
      const nextAttemptAt = new Date(now + ms);
      await database.db.update(outgoingMails).set({ nextAttemptAt }).where(row);
    };
    await dueIn('postponed@x.org', HOUR);
    await dueIn('leased@x.org', MINUTE);
    expect(await retryMails(database)).toEqual({ due_now: 1, due_soon: 1 });
    now = Date.now();
    await queue.deliverDue();
    expect(mails.map(({ recipient }) => recipient)).toEqual(['postponed@x.org']);
    expect(await retryMails(database)).toEqual({ due_now: 0, due_soon: 1 });
    expect((await readBacklog(database.db, 0)).oldestMailS).toBeLessThan(limit(60));
    const createdAt = new Date(Date.now() - 2 * HOUR);
    await database.db.update(outgoingMails).set({ createdAt });
    expect((await readBacklog(database.db, 0)).oldestMailS).toBeGreaterThan(7_190);
    await database.db.delete(outgoingMails);
    expect((await readBacklog(database.db, 0)).oldestMailS).toBe(0);
  });

  it('counts digests that collect notices once they are due', async () => {
    const queue = open(recorder().mailer);
    const dueAt = new Date(Date.now() + HOUR);
    const notice = { kinds: ['assigned'], text: 'A finding', url: 'https://x/' };
    await database.db.transaction((tx) =>
      queue.collectForDigests(tx, [{ userId: crypto.randomUUID(), time: 'daily', dueAt, notice }]),
    );
    const createdAt = new Date(Date.now() - 24 * HOUR);
    await database.db.update(outgoingMails).set({ createdAt });
    expect(await readBacklog(database.db, 0)).toMatchObject({ mails: 0, oldestMailS: 0 });
    await database.db.update(outgoingMails).set({ nextAttemptAt: new Date(Date.now() - HOUR) });
    const due = await readBacklog(database.db, 0);
    expect(due.mails).toBe(1);
    expect(due.oldestMailS).toBeGreaterThan(3_590);
    expect(due.oldestMailS).toBeLessThan(limit(3_700));
    await queue.enqueue(database.db, 'ada@example.com', reset);
    await database.db.update(outgoingMails).set({ createdAt }).where(not(outgoingMails.isBulk));
    expect((await readBacklog(database.db, 0)).oldestMailS).toBeGreaterThan(23 * 3_600);
  });

  it('renders digests when they are due, again after a failure, and deletes those with nothing to tell', async () => {
    const { mails, mailer } = recorder();
    const rendered: Digest[] = [];
    let outcome: () => Promise<Mail | undefined> = () => Promise.reject(new Error('the database is down'));
    const queue = open(mailer, {
      renderDigest(digest) {
        rendered.push(digest);
        return outcome();
      },
    });
    const [userId, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const notice = { kinds: ['assigned'], text: 'A finding', url: 'https://x/' };
    const add = (userId: string) =>
      database.db.transaction((tx) =>
        queue.collectForDigests(tx, [{ userId, time: 'daily', dueAt: clock(), notice }]),
      );
    await add(userId);
    await add(userId);
    await queue.deliverDue();
    expect(rendered).toMatchObject([{ userId, time: 'daily', notices: [notice, notice] }]);
    expect(await waiting()).toHaveLength(1);
    now += MINUTE;
    outcome = async () => ({ recipient: 'ada@example.com', ...reset });
    expect(await queue.deliverDue()).toBe(1);
    expect(mails.map(({ recipient }) => recipient)).toEqual(['ada@example.com']);
    outcome = async () => undefined;
    await add(other);
    expect(await queue.deliverDue()).toBe(0);
    expect(await waiting()).toEqual([]);
    expect(mails).toHaveLength(1);
  });

  it('sends two bulk mails at a time, and others before those that wait', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { mails, mailer } = recorder(({ recipient }) => (recipient.startsWith('bulk') ? held : undefined));
    const queue = open(mailer);
    const bulk = Array.from({ length: 6 }, (_, n) => ({
      recipient: `bulk-${n}@example.com`,
      render: () => reset,
    }));
    await database.db.transaction((tx) => queue.enqueueBulk(tx, bulk));
    const sending = queue.deliverDue();
    await vi.waitFor(() => expect(mails).toHaveLength(2));
    await queue.enqueue(database.db, 'ada@example.com', reset);
    queue.kick();
    await vi.waitFor(() => expect(mails.at(-1)?.recipient).toBe('ada@example.com'));
    expect(mails).toHaveLength(3);
    release();
    expect(await sending).toBe(7);
    expect(mails).toHaveLength(7);
  });

  it('looks again when it was kicked during a delivery', async () => {
    let release = () => {};
    const { mails, mailer } = recorder(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    const queue = open(mailer);
    await queue.enqueue(database.db, 'first@example.com', reset);
    queue.kick();
    await vi.waitFor(() => expect(mails).toHaveLength(1));
    const releaseFirst = release;
    await queue.enqueue(database.db, 'second@example.com', reset);
    queue.kick();
    await vi.waitFor(() => expect(mails).toHaveLength(2));
    releaseFirst();
    release();
    await vi.waitFor(async () => expect(await waiting()).toEqual([]));
  });

  it('is shared by processes: each mail is sent by one of them', async () => {
    const other = openDatabase({ url: test.url, max: 5 });
    undo.push(() => other.close());
    const { mails, mailer } = recorder(() => sleep(Math.random() * 4));
    const queues = [open(mailer), open(mailer, { db: other.db }), open(mailer, { db: other.db })];
    for (let i = 0; i < 40; i++) await queues[0]?.enqueue(database.db, `user-${i}@example.com`, reset);
    const counts = await Promise.all(queues.map((queue) => queue.deliverDue()));
    await Promise.all(queues.map((queue) => queue.deliverDue()));
    expect(mails).toHaveLength(40);
    expect(new Set(mails.map(({ recipient }) => recipient)).size).toBe(40);
    expect(counts.every((count) => count > 0)).toBe(true);
    expect(await waiting()).toEqual([]);
  });

  it('passes by a mail that another process is just taking', async () => {
    const { mails, mailer } = recorder();
    const queue = open(mailer);
    await queue.enqueue(database.db, 'locked@example.com', reset);
    await queue.enqueue(database.db, 'free@example.com', reset);
    const locked = eq(outgoingMails.id, await rowOf('locked@example.com'));
    await database.db.transaction(async (tx) => {
      await tx.select().from(outgoingMails).where(locked).for('update');
      expect(await Promise.race([queue.deliverDue(), sleep(limit(2_000), 'blocked')])).toBe(1);
    });
    expect(mails.map(({ recipient }) => recipient)).toEqual(['free@example.com']);
  });

  it('leaves a mail alone that was taken over by another process', async () => {
    let fail = (_: Error) => {};
    const suspended = open({
      name: 'late',
      send: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    });
    await suspended.enqueue(database.db, 'ada@example.com', reset);
    suspended.kick();
    await vi.waitFor(async () => expect((await waiting())[0]?.attempts).toBe(1));
    now += MINUTE;
    const other = open({ name: 'hanging', send: never }, { timing: { stopMs: 0 } });
    other.kick();
    await vi.waitFor(async () => expect((await waiting())[0]?.attempts).toBe(2));
    const [leased] = await waiting();
    fail(new Error('too late'));
    await suspended.deliverDue();
    expect(logged('mail not sent')).toHaveLength(1);
    expect(await waiting()).toEqual([leased]);
  });

  it('survives a restart: what one process wrote or left is sent by the next', async () => {
    const before = open({ name: 'hanging', send: never }, { timing: { stopMs: 20 } });
    await before.enqueue(database.db, 'left@example.com', reset);
    before.kick();
    await vi.waitFor(async () => expect((await waiting())[0]?.attempts).toBe(1));
    await before.stop();
    await before.enqueue(database.db, 'written@example.com', reset);
    before.kick();

    const { mails, mailer } = recorder();
    const queue = open(mailer);
    void queue.deliverDue();
    await vi.waitFor(() => expect(mails.map(({ recipient }) => recipient)).toEqual(['written@example.com']));
    now += 30_000;
    await queue.deliverDue();
    expect(mails.map(({ recipient }) => recipient)).toEqual(['written@example.com', 'left@example.com']);
    expect(await waiting()).toEqual([]);
  });

  it('sends the mails of a process that died while sending', async () => {
    const dead = open({ name: 'hanging', send: never }, { timing: { stopMs: 0 } });
    await dead.enqueue(database.db, 'ada@example.com', reset);
    dead.kick();
    await vi.waitFor(async () => expect((await waiting())[0]?.attempts).toBe(1));

    const { mails, mailer } = recorder();
    const queue = open(mailer);
    now += 4_900;
    expect(await queue.deliverDue()).toBe(0);
    now += 100;
    expect(await queue.deliverDue()).toBe(1);
    expect(mails).toHaveLength(1);
  });

  it('keeps a mail that takes longer than a lease', async () => {
    const slow = open({ name: 'hanging', send: never }, { timing: { stopMs: 0 } });
    await slow.enqueue(database.db, 'ada@example.com', reset);
    slow.kick();
    await vi.waitFor(async () => expect((await waiting())[0]?.attempts).toBe(1));
    const leasedUntil = async () => (await waiting())[0]?.nextAttemptAt.getTime() ?? 0;
    const first = await leasedUntil();
    now += 4_000;
    await vi.waitFor(async () => expect(await leasedUntil()).toBe(first + 4_000), limit(5_000));
    now += 4_000;
    const { mails, mailer } = recorder();
    expect(await open(mailer).deliverDue()).toBe(0);
    expect(mails).toEqual([]);
  });

  it('waits for sends under way when it stops, and then for none', async () => {
    let closed = false;
    const { mails, mailer } = recorder(() => sleep(50));
    mailer.close = () => {
      closed = true;
    };
    const queue = open(mailer);
    await queue.enqueue(database.db, 'ada@example.com', reset);
    queue.kick();
    await vi.waitFor(() => expect(mails).toHaveLength(1));
    await queue.stop();
    expect(closed).toBe(true);
    expect(await waiting()).toEqual([]);
    await queue.enqueue(database.db, 'ada@example.com', reset);
    queue.kick();
    expect(await queue.deliverDue()).toBe(0);
    expect(mails).toHaveLength(1);
  });

  it('finds mails of others without being kicked', async () => {
    const { mails, mailer } = recorder();
    const queue = open(mailer);
    const deliver = { name: 'deliver mails', everyMs: 20, atStart: true, run: queue.deliverDue };
    const stop = startTasks([deliver], silentLog);
    await queue.deliverDue();
    await queue.enqueue(database.db, 'ada@example.com', reset);
    await vi.waitFor(() => expect(mails).toHaveLength(1));
    stop();
  });

  it('finds mails of others while a mail is being sent slowly', async () => {
    const { mails, mailer } = recorder(({ recipient }) =>
      recipient === 'slow@example.com' ? never() : undefined,
    );
    const queue = open(mailer, { timing: { stopMs: 0 } });
    const task = housekeeping({ mail: queue, orgs: {} } as Services).find(
      ({ name }) => name === 'deliver mails',
    );
    if (!task) throw new Error('no such task');
    await queue.enqueue(database.db, 'slow@example.com', reset);
    const stop = startTasks([{ ...task, everyMs: 20 }], silentLog);
    await vi.waitFor(() => expect(mails).toHaveLength(1));
    await queue.enqueue(database.db, 'ada@example.com', reset);
    await vi.waitFor(() => expect(mails.map(({ recipient }) => recipient)).toContain('ada@example.com'));
    stop();
  });

  it('does not send again what it could not erase', async () => {
    const { mails, mailer } = recorder();
    let broken = true;
    const fragile = new Proxy(database.db, {
      get(db, key) {
        if (key === 'delete' && broken) throw new Error('connection lost');
        return db[key as keyof typeof db];
      },
    });
    const queue = open(mailer, { db: fragile });
    await queue.enqueue(database.db, 'ada@example.com', reset);
    expect(await queue.deliverDue()).toBe(1);
    expect(await waiting()).toHaveLength(1);
    broken = false;
    now += MINUTE;
    expect(await queue.deliverDue()).toBe(0);
    expect(mails).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  it('says once that the database is down, and carries on when it is back', async () => {
    const gone = openDatabase({ url: 'postgres://nobody@127.0.0.1:9/none', max: 1 });
    undo.push(() => gone.close());
    let db = gone.db;
    const reconnecting = new Proxy(gone.db, { get: (_, key) => db[key as keyof typeof db] });
    const { mailer } = recorder();
    const tasks: Promise<unknown>[] = [];
    const queue = open(mailer, { db: reconnecting, background: (task) => tasks.push(task) });
    const outOfReach = () => logged('the mail queue is out of reach');
    queue.kick();
    await Promise.all(tasks);
    expect(await queue.deliverDue()).toBe(0);
    expect(outOfReach()).toEqual([expect.objectContaining({ level: 'warn' })]);
    expect(outOfReach()[0].error).toContain('ECONNREFUSED');

    db = database.db;
    await queue.enqueue(database.db, 'ada@example.com', reset);
    expect(await queue.deliverDue()).toBe(1);
    db = gone.db;
    expect(await queue.deliverDue()).toBe(0);
    expect(outOfReach()).toHaveLength(2);
  });
});

describe('templates', () => {
  const notice = { name: 'Ada', org: { name: 'Acme', slug: 'acme' }, by: { name: 'Grace' }, at: new Date(0) };
  const at = new Date('2026-03-09T08:05:00Z');
  const EVIL = `<script>alert("1")</script>'&\r\nBcc: eve@evil.com\u202e \0`;
  const hostile = {
    resetPassword: resetPassword({ name: EVIL, publicUrl, token: `"><b>&'\n` }),
    setPassword: setPassword({ publicUrl, token: `"><b>&'\n` }),
    invitation: invitation({
      publicUrl,
      orgUrl: `${publicUrl}/o/acme`,
      inviterName: EVIL,
      orgName: EVIL,
      role: EVIL,
      decline: EVIL,
      set: { token: EVIL, isPlaceholder: false },
    }),
    verifyEmail: verifyEmail({ publicUrl, token: EVIL, emailId: EVIL }),
    verifyAdded: verifyEmail({ publicUrl, token: EVIL, emailId: EVIL, addedBy: EVIL }),
    emailCode: emailCode({ code: EVIL }),
    loginNotification: loginNotification({
      name: EVIL,
      at,
      ip: EVIL,
      browser: EVIL,
      os: EVIL,
      deviceType: EVIL,
    }),
    passwordChanged: passwordChanged({ name: EVIL, at, ip: EVIL }),
    stepUpCode: emailCode({ code: EVIL, stepUp: true }),
    accountChanged: accountChanged('email_added', { name: EVIL, at, ip: EVIL, address: EVIL, device: EVIL }),
    primaryEmailChanged: primaryEmailChanged({
      name: EVIL,
      at,
      ip: EVIL,
      address: EVIL,
      publicUrl,
      token: EVIL,
    }),
    primaryEmailRestored: primaryEmailRestored({ name: EVIL, publicUrl, token: EVIL }),
  };

  it.each(Object.entries(hostile))('%s makes nothing of hostile values', (_, { subject, html, text }) => {
    // Only our own tags are not escaped.
    const tags = new Set([...html.matchAll(/<\/?([a-z!]\w*)/gi)].map(([, tag]) => tag));
    for (const tag of tags) expect(MAIL_TAGS).toContain(tag);
    expect(html).not.toMatch(/"1"| on\w+=/);
    for (const [, href] of html.matchAll(/href="([^"]*)"/g))
      expect(href).toMatch(/^https:\/\/findings\.example/);
    expect(subject).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
    expect(subject.length).toBeLessThanOrEqual(150);
    expect(text).not.toMatch(/^Bcc/m);
    expect(text).not.toMatch(/[\r\0\u202e]/);
    expect(html).not.toContain('undefined');
  });

  it('cuts names to a sane length and does not make links of them', () => {
    const { text, subject } = invitation({
      inviterName: 'x'.repeat(5_000),
      orgName: `Win at http://evil.com/${'😀'.repeat(500)}`,
      role: 'member',
      publicUrl,
      orgUrl: `${publicUrl}/o/acme`,
      decline: TOKEN,
      set: { token: TOKEN, isPlaceholder: true },
    });
    expect(text.length).toBeLessThan(1_000);
    expect(subject.isWellFormed()).toBe(true);
    expect(subject).toMatch(/^x{59}… invited you to an organization$/);
    expect(setPassword({ publicUrl, token: TOKEN }).subject).toBe('Your account is ready');
    expect(text).not.toContain('evil.com');
    expect(text).not.toContain('http://');
    expect(resetPassword({ name: 'Ada Lovelace', publicUrl, token: TOKEN }).text).toContain(
      'Hello Ada Lovelace,',
    );
  });

  it('to owners cut names, and make no links of them', () => {
    const evil = `http://evil.example/${'x'.repeat(5_000)}`;
    const org = { name: evil, slug: 'acme' };
    const mails = [
      controlChanged('token_created', { ...notice, org, by: { name: evil, email: evil }, name: evil }, [
        ['Token', evil],
      ]),
      ownershipLost('role_changed', { ...notice, org, by: { name: evil, email: evil } }, [['Member', evil]]),
      orgDeleted({ ...notice, org, by: { name: evil, email: evil }, purgeAt: at }),
    ];
    for (const { subject, text, html, link } of mails) {
      expect([subject.length < 200, text.length < 2_000, link]).toEqual([true, true, undefined]);
      for (const part of [subject, text, html]) expect(part).not.toMatch(/evil\.example|http:\/\/evil/);
    }
  });

  it('that collect others list the first 100, count all, and have the latest link', () => {
    const evil = 'http://evil.example';
    let all: Collected | undefined;
    for (let i = 1; i <= 130; i++)
      all = addNotice(
        all,
        controlChanged('token_created', { ...notice, by: { name: evil } }, [['Token', `${evil}/${i}`]]),
      );
    const undo = { publicUrl: 'https://example.com', token: TOKEN };
    all = addNotice(all, orgDeleted({ ...notice, purgeAt: at, undo }));
    const { subject, text, html, link } = collected(all);
    expect([subject, link]).toEqual([
      '131 further changes of an organization that you own',
      `https://example.com/undo-org-change?token=${TOKEN}`,
    ]);
    expect(text).toContain('100: An API token was created for');
    expect(text).not.toContain('101: ');
    expect(text).toContain('31 more are not listed.');
    for (const part of [text, html]) expect(part).not.toMatch(/evil\.example|http:\/\/evil/);
  });

  it.each([
    'Call +1 (800) 555-0199 now',
    'Call 1.800.555.0199',
    '1\u20038\u20030\u20030\u20035\u20035\u20035\u20030\u20031\u20039\u20039',
    '１８００５５５０１９９',
    '①⑧⓪⓪⑤⑤⑤⓪①⑨⑨',
    '𝟏𝟖𝟎𝟎𝟓𝟓𝟓𝟎𝟏𝟗𝟗',
    '1️⃣8️⃣0️⃣0️⃣5️⃣5️⃣5️⃣0️⃣1️⃣9️⃣9️⃣',
    '١٨٠٠٥٥٥٠١٩٩',
    '555\u200b-0199',
    `Microsoft, ${'x'.repeat(20)} 8_0_0*5#5/5~0=1|9,9`,
  ])('have no telephone number in names: %s', (name) => {
    const org = { name, slug: 'call-1-800-555-0199' };
    const invite = { inviterName: name, orgName: name, role: 'viewer', publicUrl, decline: TOKEN };
    const mails = [
      invitation({ ...invite, orgUrl: publicUrl, set: { token: TOKEN, isPlaceholder: true } }),
      controlChanged('setting_changed', { ...notice, name, org, by: { name } }),
      orgDeleted({ ...notice, org, by: { name }, purgeAt: at }),
      accountChanged('personal_token_created', { name, at, ip: '', device: name, token: name }),
      verifyEmail({ publicUrl, token: TOKEN, emailId: 'e', addedBy: '18005550199@evil.example' }),
      loginNotification({ name, at, ip: '', browser: 'Firefox 18005550199', os: '', deviceType: '' }),
    ];
    expect(mails[0]?.subject).toBe('Somebody invited you to an organization');
    for (const { subject, text, html } of mails)
      for (const part of [subject, text, html]) {
        const digits = part.replaceAll(TOKEN, '').replace(/[^\p{L}\p{N}]+/gu, '');
        expect(digits).not.toMatch(/\p{N}{7}/u);
      }
  });

  it('keep other digits in names', () => {
    for (const orgName of ['Team 2024', '3M', 'Release 2026-11', 'Area 51']) {
      const invite = { inviterName: 'Ada 2', orgName, role: 'viewer', publicUrl, orgUrl: '', decline: TOKEN };
      const { subject, text } = invitation(invite);
      expect([subject, text]).toEqual([
        `Ada 2 invited you to ${orgName}`,
        expect.stringContaining(`Ada 2 invited you to the organization ${orgName} on`),
      ]);
    }
  });

  it('put their links on the public URL, encoded, in both forms', () => {
    const base = 'https://example.com/findings';
    const cases = [
      [resetPassword({ name: 'Ada', publicUrl: base, token: 'a&b=c' }), '/reset-password?token=a%26b%3Dc'],
      [setPassword({ publicUrl: base, token: TOKEN }), `/reset-password?token=${TOKEN}&new=1`],
      [
        primaryEmailRestored({ name: 'Ada', publicUrl: base, token: TOKEN }),
        `/reset-password?token=${TOKEN}`,
      ],
      [
        primaryEmailChanged({ name: '', at, ip: '', address: 'x', publicUrl: base, token: TOKEN }),
        `/undo-email-change?token=${TOKEN}`,
      ],
      [
        orgDeleted({ ...notice, purgeAt: at, undo: { publicUrl: base, token: TOKEN } }),
        `/undo-org-change?token=${TOKEN}`,
      ],
      [
        ownershipLost('member_removed', { ...notice, undo: { publicUrl: base, token: TOKEN } }, []),
        `/undo-org-change?token=${TOKEN}`,
      ],
      [
        verifyEmail({ publicUrl: base, token: TOKEN, emailId: 'e-1' }),
        `/verify-email?token=${TOKEN}&email_id=e-1`,
      ],
    ] as const;
    for (const [mail, path] of cases) {
      expect(mail.link).toBe(base + path);
      expect(mail.text).toContain(`: ${base}${path}\n`);
      expect(mail.html).toContain(`href="${(base + path).replaceAll('&', '&amp;')}"`);
    }
  });

  it('say in plain text all that is said in HTML', () => {
    const login = loginNotification({
      name: 'Ada',
      at,
      ip: '203.0.113.7',
      browser: 'Firefox 140',
      os: 'Linux',
      deviceType: '',
    });
    expect(login.subject).toBe('New sign-in to your account');
    expect(login.text).toBe(`Hello Ada,

Somebody signed in to your svc-findings account:

Time: 9 March 2026 at 08:05 UTC
Browser: Firefox 140
Operating system: Linux
Device: unknown
IP address: 203.0.113.7

If it was you, there is nothing to do. If not, change your password and revoke the session.

--
svc-findings sent this mail automatically; replies are not read.
`);
    const orgUrl = `${publicUrl}/o/acme`;
    const invite = { inviterName: 'Ada', orgName: 'Acme', role: 'admin', publicUrl, orgUrl, decline: TOKEN };
    const invited = invitation({ ...invite, set: { token: TOKEN, isPlaceholder: true } });
    const added = invitation(invite);
    for (const { subject, text } of [invited, added]) {
      expect(subject).toBe('Ada invited you to Acme');
      expect(text).toContain('Ada invited you to the organization Acme');
      expect(text).toContain('Role: admin');
      expect(text).toContain('choose “Leave organization” on its page “Members”');
    }
    expect(added.link).toBe(orgUrl);
    for (const mail of [
      login,
      invited,
      added,
      reset,
      emailCode({ code: CODE }),
      passwordChanged({ name: 'Ada', at }),
      passwordChanged({ name: 'Ada', at, claimed: true }),
      primaryEmailChanged({ name: 'Ada', at, ip: '203.0.113.7', address: 'x', publicUrl, token: TOKEN }),
      primaryEmailRestored({ name: 'Ada', publicUrl, token: TOKEN }),
      accountChanged('mfa_device_added', { name: 'Ada', at, ip: '203.0.113.7', device: 'Phone' }),
    ]) {
      const words = (text: string) => text.replace(/[^\w’“”.:/?=-]+/g, ' ');
      const shown = words(
        mail.html
          .replace(/^.*<\/head>/s, '')
          .replace(/<[^>]*>/g, ' ')
          .replaceAll('&amp;', '&'),
      );
      for (const line of mail.text.split('\n').filter((line) => !line.startsWith('--'))) {
        for (const part of line.split(/: (?=https)|: (?=\S)/)) expect(shown).toContain(words(part).trim());
      }
    }
    expect(emailCode({ code: CODE }).text).toContain(`\n${CODE}\n`);
    expect(emailCode({ code: CODE }).subject).not.toContain(CODE);
  });
});
