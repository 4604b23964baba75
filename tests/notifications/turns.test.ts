import { randomUUID } from 'node:crypto';
import { SMTPServer } from 'smtp-server';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type LeasedDestination, takeDestinations } from '../../db/events/destinations.ts';
import type { MailQueue } from '../../lib/mail/queue.ts';
import { createSmtpMailer } from '../../lib/node/smtp.ts';
import { type MailTurnOptions, takeMailTurn } from '../../lib/notifications/turn.ts';
import { createProcess } from '../events/outbox-kit.ts';
import { createOrg, createScan, must, push, type TestMember, type TestOrg } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { tapWire, type Wire } from '../support/database/tap.ts';
import { afterSuite } from '../support/run/suite.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { addSubscriber, mailsTo, run } from './kit.ts';

/* The process that the API runs in sends nothing here, so that tests decide when another one does. */

let database: TestDatabase;
let wire: Wire;
let t: TestApp;
let org: TestOrg;
let grace: TestMember;

beforeAll(async () => {
  database = await createDatabase('prepared');
  wire = await tapWire(database.url);
  t = await startApp({ databaseUrl: wire.url, env: { SVC_PUBLIC_URL: 'https://findings.example.com' } });
  afterSuite(async () => {
    await wire.close();
    await database.drop();
  });
  await t.services.outbox.stop();
});

beforeEach(async () => {
  await run(t, "delete from shared.destinations where kind = 'mail'");
  org = await createOrg(t.api);
  grace = await addSubscriber(t, org, { assigned: 'now', mentioned: 'daily', new_critical: 'now' });
});

const turnOptions = (mail: Partial<MailQueue> = {}): MailTurnOptions => ({
  ...t.services,
  tablesOf: t.services.knownOrgs.tablesOf,
  mail: { ...t.services.mail, kick: () => {}, ...mail },
});

const processWith = (options = turnOptions()) =>
  createProcess(t, { takeMailTurn: (destination) => takeMailTurn(options, destination) });

async function cause(fields: Record<string, unknown> = {}): Promise<void> {
  const { id } = await push(t.api, org, await createScan(t.api, org), fields);
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { assignee_id: grace.id } }));
  const body = { body: `Look, @[Grace](${grace.id})` };
  must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body }));
}

const counts = async () => {
  const schema = `"org_${org.id.replaceAll('-', '')}"`;
  const [row] = await run(
    t,
    `select (select count(*)::int from shared.outgoing_mails) as mails, (select count(*)::int from ${schema}.deliveries) as deliveries`,
  );
  return row;
};
const emptyQueue = () => run(t, 'delete from shared.outgoing_mails');

it('that fail between two statements lose and repeat nothing', async () => {
  await emptyQueue();
  await cause();
  const { mail } = t.services;
  const failing = processWith(
    turnOptions({
      async collectForDigests(tx, notices) {
        await mail.collectForDigests(tx, notices);
        throw new Error('the process dies');
      },
    }),
  );
  await failing.publish(org.id);
  await failing.run();
  expect(await counts()).toEqual({ mails: 0, deliveries: 2 });
  t.advance(31_000);
  await processWith().run();
  expect(await counts()).toEqual({ mails: 2, deliveries: 0 });
  await processWith().run();
  expect(await counts()).toEqual({ mails: 2, deliveries: 0 });
});

const tableOf = (name: string) => `"org_${org.id.replaceAll('-', '')}".${name}`;

it('about an event that cannot be read are left out, and the others come', async () => {
  await emptyQueue();
  const { id } = await push(t.api, org, await createScan(t.api, org));
  await run(
    t,
    `insert into ${tableOf('events')} (id, at, type, subject, finding_ids)
      values (gen_random_uuid(), $1, 'finding.commented', 'not an id', array[$2]::uuid[])`,
    [t.services.clock().toISOString(), id],
  );
  await cause();
  const process = processWith();
  await process.publish(org.id);
  expect(await counts()).toEqual({ mails: 0, deliveries: 3 });
  await process.run();
  expect(await counts()).toEqual({ mails: 2, deliveries: 0 });
});

it('about events of more than three days ago are left out', async () => {
  await emptyQueue();
  await cause();
  const process = processWith();
  await process.publish(org.id);
  await run(t, `update ${tableOf('events')} set at = now() - interval '4 days'`);
  await process.run();
  expect(await counts()).toEqual({ mails: 0, deliveries: 0 });
});

/** Leases the destination of the organization, as a process does whose lease then expires. */
async function lease(): Promise<LeasedDestination> {
  const now = t.services.clock();
  const version = t.services.orgMigrations.length;
  const terms = {
    now,
    until: new Date(now.getTime() + 5_000),
    version,
    limit: 10,
    perAccount: 4,
    busy: new Map(),
  };
  const [taken] = await takeDestinations(t.services.database.sql, terms);
  if (!taken) throw new Error('nothing is due');
  return taken;
}

it('of two processes at once, whose lease has expired, write each mail once', async () => {
  await emptyQueue();
  await cause();
  await cause();
  await processWith().publish(org.id);
  const taken = await lease();
  await Promise.all([takeMailTurn(turnOptions(), taken), takeMailTurn(turnOptions(), taken)]);
  // Two that are sent now, and one that collects.
  expect(await counts()).toEqual({ mails: 3, deliveries: 0 });
  const [digest] = await run(t, 'select id from shared.outgoing_mails where collects is not null');
  await run(t, 'update shared.outgoing_mails set next_attempt_at = now()');
  await t.services.mail.deliverDue();
  expect(digest).toBeDefined();
  expect(mailsTo(t, grace).at(-1)?.subject ?? '').toMatch(/^(Daily summary: 2|A finding was)/);
  expect(
    mailsTo(t, grace)
      .map(({ subject }) => subject.replace(/:.*/, ''))
      .toSorted(),
  ).toEqual(['A finding was assigned to you', 'A finding was assigned to you', 'Daily summary']);
});

it('take as many statements for 1,000 members as for one', async () => {
  await emptyQueue();
  const scan = await createScan(t.api, org);
  await push(t.api, org, scan, { severity: 'critical' });
  must(await t.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body: { status: 'completed' } }));
  await processWith().publish(org.id);
  const members = Array.from({ length: 1_000 }, () => randomUUID());
  const insert = (text: string) =>
    run(t, text.replace('MEMBERS', 'unnest($1::uuid[]) u(id)'), [`{${members}}`]);
  await insert("insert into shared.users (id, name, created_at) select id, 'Member', now() from MEMBERS");
  await insert(
    "insert into shared.user_emails (id, user_id, email, is_primary, verified_at, created_at) select gen_random_uuid(), id, id || '@example.com', true, now(), now() from MEMBERS",
  );
  await run(
    t,
    "insert into shared.memberships (org_id, user_id, role, confirmed_at, created_at) select $2, id, 'viewer', now(), now() from unnest($1::uuid[]) u(id)",
    [`{${members}}`, org.id],
  );
  await insert(
    `insert into shared.notification_settings (user_id, kinds, time_zone, hour, updated_at)
     select id, jsonb_build_object('new_critical', case when n % 2 = 0 then 'now' else 'daily' end), 'Europe/Berlin', 8, now()
     from unnest($1::uuid[]) with ordinality u(id, n)`,
  );
  const taken = await lease();
  wire.take();
  await takeMailTurn(turnOptions(), taken);
  expect(wire.take().length).toBeLessThan(60);
  expect(await counts()).toEqual({ mails: 1_001, deliveries: 0 });
  await run(t, 'delete from shared.users where id = any ($1::uuid[])', [`{${members}}`]);
});

const HOSTILE = 'https://evil.example/x\r\nBcc: eve@evil.example\r\n\u202e<script>alert(1)</script>';

it('have hostile titles without links, in one line, and headers that mail programs unsubscribe by', async () => {
  await emptyQueue();
  await cause({ title: HOSTILE });
  const process = processWith();
  await process.publish(org.id);
  await process.run();
  const sources: string[] = [];
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'] },
    async onData(stream, _, done) {
      const parts: Buffer[] = [];
      for await (const part of stream) parts.push(part as Buffer);
      sources.push(Buffer.concat(parts).toString());
      done();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  const smtp = createSmtpMailer(`smtp://127.0.0.1:${port}`, 'Findings <no-reply@x.org>');
  await t.services.mail.deliverDue();
  const [mail] = mailsTo(t, grace).slice(-1);
  if (!mail) throw new Error('no mail');
  expect(mail.subject).toBe('A finding was assigned to you');
  expect(mail.text).not.toMatch(/^Bcc/m);
  expect(mail.text).not.toContain('https://evil.example');
  expect(mail.text).not.toContain('\u202e');
  expect(mail.html).not.toContain('<script>');
  await smtp.send({ ...mail, id: randomUUID() });
  smtp.close?.();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  const [headers = ''] = (sources[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n\r\n');
  expect(headers).toMatch(
    /^List-Unsubscribe: <https:\/\/findings\.example\.com\/api\/v1\/profile\/notifications\/unsubscribe\?token=[\w.-]+>\r?$/m,
  );
  expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  expect(headers).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  expect(headers).not.toMatch(/^Bcc/im);
});
