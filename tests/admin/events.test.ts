import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import type { OperatorEvent } from '../../lib/admin/events.ts';
import { logOperatorEvents } from '../../lib/maintenance/operator-events.ts';
import { admin, spawnAdmin } from '../support/admin/command.ts';
import { addMember, createOrg, createUser, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Commands of operators leave a record in the database, whatever becomes of the terminal and its log. */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

const run = (...args: string[]) => admin(t.databaseUrl, args);

async function events(databaseUrl = t.databaseUrl): Promise<OperatorEvent[]> {
  const { code, out } = await admin(databaseUrl, ['events', 'list', '--json']);
  expect(code).toBe(0);
  return JSON.parse(out);
}

describe('a command that changes something', () => {
  it.each([
    ['flags set', ['public_api', 'on'], { flag: 'public_api', state: 'on' }],
    ['settings set', ['motd', 'a secret text'], { key: 'motd' }],
    ['settings unset', ['motd'], { key: 'motd' }],
    ['domains set', ['ORG', 'findings.acme.example'], { domain: 'findings.acme.example' }],
    ['domains clear', ['ORG'], {}],
    ['orgs rename', ['ORG', '--name', 'New name'], { name: 'New name' }],
    ['orgs recount', ['ORG'], {}],
    ['retention run', ['ORG'], {}],
  ])('leaves an event that says who did what: %s', async (command, given, recorded) => {
    const args = given.map((arg) => (arg === 'ORG' ? org.id : arg));
    const { code, err } = await run(...command.split(' '), ...args);
    expect(code).toBe(0);
    const [event] = await events();
    expect(event).toMatchObject({ command, arguments: recorded, outcome: 'done' });
    expect(event?.operator).toBeTruthy();
    expect(JSON.stringify(event)).not.toContain('a secret text');
    // The events that are also on the terminal.
    const lines = err.trim().split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      event?.events.map((one) => expect.objectContaining(one)),
    );
  });

  it('leaves one when it fails, and names an account by its id only', async () => {
    const user = await createUser(t.api);
    expect((await run('domains', 'set', org.id, 'not a domain')).code).toBe(2);
    expect((await run('users', 'disable', user.email)).code).toBe(0);
    const [disabled, failed] = await events();
    expect(failed).toMatchObject({ command: 'domains set', outcome: 'failed', events: [] });
    expect(disabled?.events).toEqual([
      expect.objectContaining({ event: 'account_disabled', account: user.id }),
    ]);
    expect(JSON.stringify(disabled)).not.toContain(user.email);
  });

  it('leaves one when its process is killed meanwhile', async () => {
    const client = openDatabase({ url: t.databaseUrl, max: 1 });
    await client.sql.begin(async (tx) => {
      await tx.unsafe('lock table shared.settings');
      const { child, ended } = spawnAdmin(t.databaseUrl, ['settings', 'set', 'killed', 'x']);
      await expect.poll(async () => (await events())[0]?.arguments.key).toBe('killed');
      child.kill('SIGKILL');
      await ended;
    });
    await client.close();
    expect((await events())[0]).toMatchObject({ command: 'settings set', outcome: null });
    expect((await run('events', 'list', '--limit', '1')).out).toMatch(/settings set +killed +interrupted/);
  });

  it('is written to the security log of one server, once it has ended', async () => {
    await t.services.database.sql.unsafe('update shared.operator_events set logged_at = now()');
    expect((await run('flags', 'set', 'public_api', 'off')).code).toBe(0);
    await t.services.database.sql.unsafe(
      `insert into shared.operator_events (id, at, operator, command, details)
        values ('00000000-0000-7000-8000-000000000001', now(), 'ada', 'orgs purge', '{"arguments":{},"events":[]}'),
          ('00000000-0000-7000-8000-000000000002', now() - interval '2 h', 'eve', 'orgs purge', '{"arguments":{},"events":[]}')`,
    );
    const lines: Record<string, unknown>[] = [];
    const log = {
      ...t.services.log,
      info: (message: string, fields = {}) => lines.push({ message, ...fields }),
    };
    const servers = Array.from({ length: 5 }, () => logOperatorEvents({ ...t.services, log: log as never }));
    await Promise.all(servers);
    const event = { message: 'security event', event: 'operator_command' };
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...event,
        ...{ command: 'flags set', arguments: { flag: 'public_api', state: 'off' }, outcome: 'done' },
      }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ ...event, operator: 'eve', outcome: null }));
  });

  it('does nothing when it cannot be recorded', async () => {
    const bare = await startApp();
    await bare.services.database.sql.unsafe('drop table shared.operator_events');
    const { code, err } = await admin(bare.databaseUrl, ['flags', 'set', 'signup', 'off']);
    expect([code, err]).toEqual([1, expect.stringContaining('run "migrate" first')]);
    const [flag] = await bare.services.database.sql.unsafe(
      `select enabled from shared.feature_flags where name = 'signup'`,
    );
    expect(flag).toEqual({ enabled: true });
  });
});

it('a command that reads leaves none', async () => {
  const before = await events();
  for (const args of ['flags list', `orgs show ${org.id}`, 'members unverified', 'settings list', 'doctor'])
    await run(...args.split(' '));
  expect(await events()).toEqual(before);
});

describe('members set-role', () => {
  it('gives an organization whose only owner is gone another, and tells the owners', async () => {
    const abandoned = await createOrg(t.api);
    const { id, email, as } = await addMember(t.api, abandoned);
    const rename = () => t.api.patch(`/orgs/${abandoned.slug}`, { ...as, body: { name: 'Rescued' } });
    expect((await rename()).status).toBe(403);
    const { code, out, err } = await run('members', 'set-role', abandoned.slug, email, 'owner');
    expect([code, out]).toEqual([0, `${email} is now owner of ${abandoned.slug} (before: member)\n`]);
    expect(JSON.parse(err)).toMatchObject({ event: 'role_changed', member: id, from: 'member', to: 'owner' });
    expect((await events())[0]).toMatchObject({
      command: 'members set-role',
      arguments: { org: abandoned.slug, role: 'owner' },
    });
    for (const recipient of [email, abandoned.owner.email]) {
      const { subject, text } = await t.delivered(recipient);
      expect(subject).toMatch(/^The role of a member was changed/);
      expect(text).toContain('owner, was member');
      expect(text).toContain('an operator of the service');
    }
    must(await rename());
    expect(await run('members', 'set-role', abandoned.slug, email, 'owner')).toMatchObject({
      code: 0,
      out: `${email} is owner of ${abandoned.slug} already: nothing changed\n`,
    });
  });

  it('leaves no organization without an owner, and takes no stranger or unusable account', async () => {
    const { slug, owner, asOwner } = await createOrg(t.api);
    const stranger = await createUser(t.api);
    must(
      await t.api.post('/members/invite', {
        ...asOwner,
        body: { email: `new@${slug}.example`, role: 'admin' },
      }),
    );
    const attempt = async (user: string, role: string) => {
      const { code, err } = await run('members', 'set-role', slug, user, role);
      return [code, err.trim()];
    };
    expect(await attempt(owner.email, 'viewer')).toEqual([1, `${owner.email} is the only owner`]);
    expect(await attempt(stranger.email, 'owner')).toEqual([
      1,
      `${stranger.email} is not a member of ${slug}`,
    ]);
    expect(await attempt(`new@${slug}.example`, 'owner')).toEqual([
      1,
      expect.stringContaining('cannot be an owner'),
    ]);
    expect(await attempt(owner.email, 'king')).toEqual([2, expect.stringContaining('is not a role')]);
  });
});
