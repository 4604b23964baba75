import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { leftIn, type Meddle, moveBetween, sqlOf, useCells } from '../support/admin/cells.ts';
import { admin } from '../support/admin/command.ts';
import { createOrg, createUser, must, PASSWORD, type TestOrg, type TestUser } from '../support/api/api.ts';
import { afterSuite } from '../support/run/suite.ts';
import type { TestApp } from '../support/server/app.ts';

/*
 * What a move gives to strangers: people who have registered with addresses of somebody else in one of the cells, and a database that
 * somebody has taken over.
 */

let one: TestApp;
let two: TestApp;
let org: TestOrg;

const { cancel } = useCells((made) => {
  ({ one, two, org } = made);
});

const move = (meddle?: Meddle) => moveBetween(one, two, org, 'two', undefined, meddle ? { meddle } : {});
const isServed = async (t: TestApp) => (await t.api.get('/projects', org.asOwner)).status === 200;
const verify = (t: TestApp, email: string) =>
  sqlOf(t).unsafe(`update shared.user_emails set verified_at = now() where email = '${email}'`);

/** Registers with an address. */
async function register(t: TestApp, email: string): Promise<TestUser> {
  const body = { email, password: PASSWORD, name: 'Grace Hopper' };
  const answer = await t.api.post('/auth/register', { body });
  return { id: must(answer).user.id, email, cookie: String(answer.cookie) };
}

const invite = async (email: string) =>
  must(await one.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'admin' } }));

/** A personal token that works in the organization only. */
async function createToken(user: { cookie: string }): Promise<{ id: string; token: string }> {
  const body = { name: 'script', scopes: ['admin'], org_id: org.id, expires_in: 5 };
  const { info, token } = must(await one.api.post('/profile/tokens', { cookie: user.cookie, body }));
  return { id: info.id, token };
}

/** Does something once, after the first statement with a text. */
function onceAfter(
  part: string,
  what: (rows: Record<string, unknown>[]) => Promise<unknown> | unknown,
): Meddle {
  let done = false;
  return async (text, rows) => {
    if (done || !text.includes(part)) return;
    done = true;
    await what(rows);
  };
}

const PUBLISHED = 'pg_create_logical_replication_slot';

describe('an address that nobody has verified', () => {
  it('gives the organization of its account to no account of the other cell', async () => {
    const stranger = await register(two, org.owner.email);
    await verify(two, org.owner.email);
    await expect(move()).rejects.toThrow(/addresses of all owners/);
    expect(await isServed(one)).toBe(true);
    const { status } = await two.api.get('/projects', { cookie: stranger.cookie, org: org.slug });
    expect(status).toBe(404);
  });

  it('gives tokens of its account to no account of the other cell, also if the organization has invited the address', async () => {
    const impostor = await register(one, `invited-${org.slug}@example.com`);
    await invite(impostor.email);
    const { token } = await createToken(impostor);
    expect((await one.api.get('/projects', { token, org: org.slug })).status).toBe(200);
    const real = await register(two, impostor.email);
    await verify(two, impostor.email);
    expect(await move()).toMatchObject({ members: 2, members_left_out: [] });
    expect((await two.api.get('/projects', { cookie: real.cookie, org: org.slug })).status).toBe(200);
    expect((await two.api.get('/auth/me', { token })).error).toBe('token_error/invalid');
  });

  it('is the one of an invitation that nobody has accepted: whoever has it is a member', async () => {
    const email = `placeholder-${org.slug}@example.com`;
    await invite(email);
    const real = await register(two, email);
    await verify(two, email);
    await move();
    expect((await two.api.get('/projects', { cookie: real.cookie, org: org.slug })).status).toBe(200);
  });

  it('keeps no member who has verified it out, if a stranger has registered with it there', async () => {
    await verify(one, org.owner.email);
    const stranger = await register(two, org.owner.email);
    expect(await move()).toMatchObject({ members: 1, members_left_out: [] });
    const { email } = org.owner;
    const signedIn = await two.api.post('/auth/login', { body: { email, password: PASSWORD } });
    expect(signedIn.result.user.id).toBe(org.owner.id);
    const projects = (cookie: string | null | undefined) =>
      two.api.get('/projects', { cookie: String(cookie), org: org.slug });
    expect([(await projects(signedIn.cookie)).status, (await projects(stranger.cookie)).status]).toEqual([
      200, 403,
    ]);
  });

  it('takes no access from a member, if a stranger registers with it there during the move', async () => {
    const member = await createUser(one.api);
    await invite(member.email);
    await expect(move(onceAfter(PUBLISHED, () => register(two, member.email)))).rejects.toThrow(
      `addresses of 1 members (${member.email})`,
    );
    expect(await isServed(one)).toBe(true);
    await cancel();
  });
});

describe('an account that a member gets in the other cell during the move', () => {
  it('is not theirs in rows that are copied already, so that the move is to begin anew', async () => {
    await verify(one, org.owner.email);
    const registers = async () => {
      await register(two, org.owner.email);
      await verify(two, org.owner.email);
    };
    await expect(move(onceAfter(PUBLISHED, registers))).rejects.toThrow(/other accounts in the other cell/);
    expect(await isServed(one)).toBe(true);
    await cancel();
    expect(await move()).toMatchObject({ members: 1, members_left_out: [] });
  });

  it('erases nothing of theirs if they get it when the organization has left', async () => {
    const body = { name: 'Mine', query: 'severity=high', shared: false };
    must(await one.api.post('/views', { ...org.asOwner, body }));
    await verify(one, org.owner.email);
    const registers = async () => {
      await register(two, org.owner.email);
      await verify(two, org.owner.email);
    };
    await move(onceAfter('row_to_json(t)', registers));
    expect(await sqlOf(two).unsafe('select user_id from shared.account_erasures')).toEqual([]);
  });
});

it('a personal token that is revoked while the organization leaves is not revoked, or does not work there', async () => {
  const { id, token } = await createToken(org.owner);
  let revoking: Promise<{ status: number }> | undefined;
  await move(
    onceAfter('row_to_json(t)', async () => {
      revoking = one.api.delete(`/profile/tokens/${id}`, org.asOwner);
      await Promise.race([revoking, new Promise((later) => setTimeout(later, 300))]);
    }),
  );
  const works = (await two.api.get('/projects', { token, org: org.slug })).status === 200;
  expect([(await revoking)?.status, works]).toEqual([404, true]);
});

it('an organization that has moved is not restored where it was: it would be in two cells', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'moved-'));
  afterSuite(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'org.backup');
  expect((await admin(one.databaseUrl, ['orgs', 'backup', org.slug, '--file', file])).code).toBe(0);
  await move();
  const restored = await admin(one.databaseUrl, ['orgs', 'restore-backup', file]);
  expect(restored.err).toContain('has moved to another cell');
  expect(await isServed(one)).toBe(false);
  const copied = await admin(one.databaseUrl, ['orgs', 'restore-backup', file, '--as', `${org.slug}-2`]);
  expect(copied.code, copied.err).toBe(0);
});

describe('a database that somebody has taken over cannot', () => {
  it('write to other tables of the other cell', async () => {
    const name = `move_${org.id.replaceAll('-', '')}`;
    const other = await createOrg(two.api);
    const foreign = [`shared.users`, `"${orgSchemaName(other.id)}".findings`];
    await sqlOf(one).unsafe(`create schema "${orgSchemaName(other.id)}"`);
    await sqlOf(one).unsafe(
      `create table ${foreign[1]} (like "${orgSchemaName(org.id)}".findings including all)`,
    );
    for (const table of foreign) {
      const add = () => sqlOf(one).unsafe(`alter publication ${name} add table ${table}`);
      await expect(move(onceAfter(PUBLISHED, add))).rejects.toThrow(/cannot be trusted/);
      expect(await leftIn(two, org)).not.toContain('subscription');
      await cancel();
      expect([await leftIn(one, org), await leftIn(two, org)]).toEqual([[orgSchemaName(org.id)], []]);
    }
    await sqlOf(one).unsafe(`drop schema "${orgSchemaName(other.id)}" cascade`);
    await move();
  });

  it('give tokens for other organizations, or addresses to other accounts', async () => {
    const victim = await createUser(two.api);
    const { token } = await createToken(org.owner);
    const add = (rows: Record<string, unknown>[], column: string, row: object) => {
      const [first] = rows as [Record<string, string>];
      first[column] = JSON.stringify([...JSON.parse(first[column] ?? ''), row]);
    };
    const email = { id: crypto.randomUUID(), user_id: victim.id, email: 'mallory@example.com' };
    const verified = { ...email, is_primary: false, verified_at: new Date(), created_at: new Date() };
    await move(async (text, rows) => {
      if (text.includes('as codes')) add(rows, 'emails', verified);
      if (text.includes('select rows::text'))
        for (const row of rows) row.rows = String(row.rows).replace(`"org_id":"${org.id}"`, '"org_id":null');
    });
    const theirs = await sqlOf(two).unsafe(
      `select email from shared.user_emails where user_id = '${victim.id}'`,
    );
    expect(theirs.map((row) => row.email)).toEqual([victim.email]);
    const [row] = await sqlOf(two).unsafe(
      `select org_id from shared.personal_tokens where user_id = '${org.owner.id}'`,
    );
    expect(row?.org_id).toBe(org.id);
    expect((await two.api.get('/projects', { token, org: org.slug })).status).toBe(200);
  });
});
