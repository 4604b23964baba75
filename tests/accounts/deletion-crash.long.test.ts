import { describe, expect, it, vi } from 'vitest';
import { endPass, takeErasures } from '../../db/accounts/erasure.ts';
import { eraseAccounts } from '../../lib/accounts/deletion/erase.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import {
  as,
  eraseFully,
  erasures,
  expireLeases,
  IDS_OF_HISTORY,
  leaveTraces,
  NAME,
  org,
  placesOf,
  prepareAccount,
  remove,
  sql,
  t,
  zaphod,
} from './deletion-kit.ts';

/* Processes that die while they erase an account. */

prepareAccount();

describe('after a crash', () => {
  /** Fails the n-th statement with this text, as if the process died there. */
  function dieAt(part: string, nth = 1) {
    const { sql: client } = t.services.database;
    let seen = 0;
    const { unsafe } = client;
    return vi.spyOn(client, 'unsafe').mockImplementation(((text: string, ...rest: []) => {
      if (text.includes(part) && ++seen >= nth) throw new Error('died here');
      return unsafe.call(client, text, ...rest);
    }) as typeof unsafe);
  }

  it.each([
    ['before the mails', 'user_emails" where email in'],
    ['before the address in other accounts', '"memberships" set invited_email'],
    ['before the first organization', 'from "shared"."orgs" where schema_version'],
    ['before the views', 'saved_views" where owner_id'],
    ['before the rules', 'rules" set actions'],
    ['before the assigned findings', 'where assignee_id ='],
    ['before the changes', 'changes" set fields'],
    ['before the comments', 'row_number() over (order by finding_id'],
    ['before a comment is changed', 'set note ='],
    ['before the end of the pass', 'passes = passes + 1'],
  ])('%s, another process goes on', async (_, part) => {
    await leaveTraces();
    const died = dieAt(part);
    expect((await remove()).status).toBe(204);
    expect(died).toHaveBeenCalled();
    died.mockRestore();
    // Signed out at once, whatever is left.
    expect((await t.api.get('/auth/me', { cookie: zaphod.cookie })).status).toBe(401);
    expect(await erasures()).toBe(1);
    await eraseFully();
    for (const text of [NAME, zaphod.email]) expect(await placesOf(text), text).toEqual([]);
    expect((await placesOf(zaphod.id)).filter((place) => !IDS_OF_HISTORY.includes(place))).toEqual([]);
  });

  it('in an organization that was left before, another process goes on where it was', async () => {
    await leaveTraces();
    await sql(`delete from shared.memberships where user_id = '${zaphod.id}' and org_id = '${org.id}'`);
    const died = dieAt('from "shared"."orgs" where schema_version');
    expect((await remove()).status).toBe(204);
    died.mockRestore();
    expect(await placesOf(NAME)).toEqual(['audit_names.name', 'finding_events.note']);
    const { sql: client } = t.services.database;
    const before = `(select id from shared.orgs where id < '${org.id}' order by id desc limit 1)`;
    await sql(`update shared.account_erasures set done_org_id = ${before} where user_id = '${zaphod.id}'`);
    await expireLeases();
    expect(await takeErasures(client, { userId: zaphod.id })).toMatchObject([{ passes: 0 }]);
    await expireLeases();
    await eraseAccounts(t.services);
    expect(await placesOf(NAME)).toEqual([]);
  });

  it('nothing is deleted if the transaction fails', async () => {
    await leaveTraces();
    await sql(`create function shared.refuse() returns trigger language plpgsql as 'begin raise exception $$no$$; end';
      create trigger refuse before insert on shared.account_erasures for each row execute function shared.refuse()`);
    try {
      expect((await remove()).status).toBe(500);
    } finally {
      await sql('drop trigger refuse on shared.account_erasures; drop function shared.refuse()');
    }
    expect((await t.api.get('/findings', as(zaphod))).status).toBe(200);
    expect((await remove()).status).toBe(204);
  });

  it('two processes that erase one account do no harm', async () => {
    await leaveTraces();
    const died = dieAt('from "shared"."orgs" where schema_version');
    await remove();
    died.mockRestore();
    await expireLeases();
    await Promise.all([eraseAccounts(t.services), eraseAccounts(t.services), eraseAccounts(t.services)]);
    await eraseFully();
    expect(await placesOf(NAME)).toEqual([]);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('an organization whose schema is behind is erased when it is migrated', async () => {
    await leaveTraces();
    await sql(`update shared.orgs set schema_version = schema_version - 1 where id = '${org.id}'`);
    expect((await remove()).status).toBe(204);
    for (let pass = 0; pass < 3; pass++) {
      await expireLeases();
      await eraseAccounts(t.services);
    }
    expect(await placesOf(NAME)).toEqual(['audit_names.name', 'finding_events.note']);
    await sql(`update shared.orgs set schema_version = schema_version + 1 where id = '${org.id}'`);
    await eraseFully();
    expect(await placesOf(NAME)).toEqual([]);
  });

  it('a lease keeps other processes away', async () => {
    const died = dieAt('from "shared"."orgs" where schema_version');
    await remove();
    died.mockRestore();
    const { sql: client } = t.services.database;
    expect(await takeErasures(client, { userId: zaphod.id })).toEqual([]);
    await expireLeases();
    expect(await takeErasures(client, { userId: zaphod.id })).toMatchObject([
      { userId: zaphod.id, passes: 0 },
    ]);
    expect(await takeErasures(client, { userId: zaphod.id })).toEqual([]);
    await endPass(client, [zaphod.id], t.services.orgMigrations.length);
    expect(await erasures()).toBe(1);
  });
});
