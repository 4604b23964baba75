import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteAndNote, START_OF_PASS } from '../../db/accounts/erasure.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { eraseAccounts } from '../../lib/accounts/deletion/erase.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Many deleted accounts are erased in one pass through the organizations. */

let t: TestApp;
let org: TestOrg;

const sql = (text: string) => t.services.database.sql.unsafe(text);
const schema = () => `"${orgSchemaName(org.id)}"`;
const pending = () =>
  sql('select user_id, done_org_id, passes from shared.account_erasures order by user_id');
/** As if the time between two passes had gone by. */
const expireLeases = () =>
  sql(`update shared.account_erasures set lease_until = now() - interval '1 second'`);

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  await sql('delete from shared.account_erasures');
  org = await createOrg(t.api);
});

/** Accounts that are deleted, and members of an organization until then if one is given. @returns their ids */
async function deleteAccounts(count: number, of?: TestOrg): Promise<string[]> {
  const ids = Array.from({ length: count }, () => t.services.nextId().id);
  for (const userId of ids) {
    await sql(`insert into shared.users (id, name, created_at) values ('${userId}', 'Zaphod', now())`);
    const orgIds = of ? [of.id] : [];
    await t.services.database.db.transaction((tx) => deleteAndNote(tx, { userId, orgIds, now: new Date() }));
  }
  return ids;
}

/** Runs the task. @returns the statements that it sent, by what they are about */
async function erase(): Promise<{ all: number; ofOrg: number }> {
  const { sql: client } = t.services.database;
  const sent = vi.spyOn(client, 'unsafe');
  await eraseAccounts(t.services);
  // Mails are sent beside it.
  const texts = sent.mock.calls.map(([text]) => text).filter((text) => !text.includes('outgoing_mails'));
  sent.mockRestore();
  return { all: texts.length, ofOrg: texts.filter((text) => text.includes(schema())).length };
}

async function leaveTraces(ids: readonly string[]): Promise<void> {
  const scan = await createScan(t.api, org);
  for (const id of ids) {
    const finding = await push(t.api, org, scan);
    await sql(`update ${schema()}.findings set assignee_id = '${id}' where id = '${finding.id}'`);
    await sql(`insert into ${schema()}.saved_views (id, owner_id, name, query, shared, created_at)
      values (gen_random_uuid(), '${id}', 'Mine', 'q=x', false, now())`);
  }
}

const left = async (ids: readonly string[]) => {
  const found: string[] = [];
  for (const table of ['findings', 'saved_views', 'rules', 'changes'])
    for (const { text } of await sql(`select row_to_json(t)::text as text from ${schema()}.${table} t`))
      if (ids.some((id) => text.includes(id))) found.push(table);
  return found;
};

describe('50 deleted accounts', () => {
  it('cost as many statements per organization as one', async () => {
    const [one] = [await deleteAccounts(1, org)];
    await leaveTraces(one);
    const ofOne = await erase();
    expect(await left(one)).toEqual([]);
    await sql('delete from shared.account_erasures');

    const many = await deleteAccounts(50, org);
    await leaveTraces(many);
    expect(await left(many)).not.toEqual([]);
    const ofMany = await erase();
    expect(await left(many)).toEqual([]);
    expect(ofMany.ofOrg).toBe(ofOne.ofOrg);
    expect(ofMany.all).toBe(ofOne.all);
    expect(await pending()).toHaveLength(50);
    await expireLeases();
    await erase();
    expect(await pending()).toEqual([]);
  });

  it('that were never members cost nothing beside another one', async () => {
    await deleteAccounts(1, org);
    const ofOne = await erase();
    await sql('delete from shared.account_erasures');
    await deleteAccounts(1, org);
    await deleteAccounts(49);
    expect(await erase()).toEqual(ofOne);
  });

  it('lose their names in all mentions, rules and changes', async () => {
    const ids = await deleteAccounts(50, org);
    const { id } = await push(t.api, org, await createScan(t.api, org));
    const [one = '', two = '', three = ''] = ids;
    const body = `@[Zaphod](${one}) @[Ada](${org.owner.id}) @[Zaphod](${two.toUpperCase()}) \`@[Zaphod](${three})\` @[Zaphod](${one})`;
    must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'later replaced' } }));
    await sql(
      `update ${schema()}.finding_events set note = '${body}', mentions = '{${one},${org.owner.id},${two}}' where kind = 'comment'`,
    );
    const rule = { name: 'Rule', conditions: { title: ['x*'] }, actions: { assignee_id: org.owner.id } };
    must(await t.api.post('/rules', { ...org.asOwner, body: rule }));
    await sql(`update ${schema()}.rules set actions = '{"assignee_id":"${ids[7]}"}'`);
    const fields = JSON.stringify({ before: { assignee_id: ids[8] }, after: { assignee_id: ids[9] } });
    await sql(`insert into ${schema()}.changes (id, at, actor_id, finding_ids, what, fields)
      values (gen_random_uuid(), now(), '${org.owner.id}', '{}', '{"assignee_id":"${ids[9]}"}', '${fields}')`);
    const scan = await createScan(t.api, org);
    const deleted = await Promise.all([0, 1, 2].map(async () => (await push(t.api, org, scan)).id as string));
    const mention = `@[Zaphod](${ids[3]})`;
    must(await t.api.post(`/findings/${deleted[0]}/comments`, { ...org.asOwner, body: { body: 'mention' } }));
    await sql(`update ${schema()}.finding_events set note = '${mention}' where note = 'mention'`);
    await sql(`update ${schema()}.findings set assignee_id = '${ids[4]}' where id = '${deleted[1]}'`);
    must(await t.api.post('/findings/delete', { ...org.asOwner, body: { ids: deleted } }));
    await erase();
    const kept = await sql(`select finding_id from ${schema()}.deleted_findings`);
    expect(kept.map(({ finding_id }) => finding_id)).toEqual([deleted[2]]);
    const [event] = await sql(
      `select note, mentions::text as mentions from ${schema()}.finding_events where kind = 'comment'`,
    );
    expect(event).toEqual({
      note: `@Deleted user @[Ada](${org.owner.id}) @Deleted user \`@Deleted user\` @Deleted user`,
      mentions: `{${org.owner.id}}`,
    });
    expect(await left(ids)).toEqual([]);
    const [change] = await sql(`select what::text as what, fields::text as fields from ${schema()}.changes`);
    expect(change).toEqual({
      what: '{"assignee_id":null}',
      fields: JSON.stringify({ before: { assignee_id: null }, after: { assignee_id: null } }),
    });
  });

  it('have their mails looked for once, and later mails to their addresses stay', async () => {
    const ids = await deleteAccounts(50);
    const queued = async (recipient: string, age: string) => {
      const id = t.services.nextId().id;
      const sealed = await t.services.mailBox.seal(
        JSON.stringify({ recipient, subject: 'x', text: 'x' }),
        id,
      );
      await sql(`insert into shared.outgoing_mails (id, sealed, next_attempt_at, created_at)
        values ('${id}', '${sealed}', now() + interval '1 hour', now() - interval '${age}')`);
      return id;
    };
    await sql('delete from shared.outgoing_mails');
    await sql(`update shared.account_erasures set emails = array[user_id || '@example.com']`);
    const [one, two] = ids;
    await sql(
      `update shared.account_erasures set deleted_at = now() - interval '1 day' where user_id = '${one}'`,
    );
    await queued(`${one}@Example.com`, '2 days');
    const later = await queued(`${one}@example.com`, '1 hour');
    await queued(`${two}@example.com`, '1 hour');
    const other = await queued('ada@example.com', '2 days');
    const open = vi.spyOn(t.services.mailBox, 'open');
    await erase();
    expect(open).toHaveBeenCalledTimes(4);
    open.mockRestore();
    const left = await sql('select id from shared.outgoing_mails order by id');
    expect(left.map(({ id }) => id)).toEqual([later, other]);
    await sql('delete from shared.outgoing_mails');
  });

  it('are more than a turn takes', async () => {
    const ids = await deleteAccounts(230, org);
    await leaveTraces(ids.slice(90, 110));
    await erase();
    expect(await left(ids)).toEqual([]);
    expect((await pending()).map(({ passes }) => passes)).toEqual(Array(230).fill(1));
  });
});

it('do not wait for an organization that fails, and are kept until it was erased', async () => {
  const [one = '', two = ''] = [...(await deleteAccounts(1, org)), ...(await deleteAccounts(1))];
  const broken = await createOrg(t.api);
  await sql(`update shared.account_erasures set first_org_ids = '{${broken.id}}' where user_id = '${two}'`);
  await leaveTraces([one]);
  const views = `"${orgSchemaName(broken.id)}"`;
  await sql(`insert into ${views}.saved_views (id, owner_id, name, query, shared, created_at)
    values (gen_random_uuid(), '${two}', 'Mine', 'q=x', false, now())`);
  await sql(`alter table ${views}.saved_views rename to broken`);
  await createOrg(t.api);
  // As often as passes are needed otherwise, and once more.
  for (let i = 0; i < 3; i++) {
    await erase();
    expect(await left([one])).toEqual([]);
    expect((await pending()).map(({ done_org_id, passes }) => [done_org_id, passes])).toEqual([
      [null, 1],
      [null, 1],
    ]);
    await expireLeases();
  }
  await sql(`alter table ${views}.broken rename to saved_views`);
  await erase();
  expect(await sql(`select 1 from ${views}.saved_views where owner_id = '${two}'`)).toHaveLength(0);
  expect(await pending()).toEqual([]);
});

describe('a pass under way', () => {
  const hooked = (text: string, act: () => Promise<unknown>) => {
    const { sql: client } = t.services.database;
    const { unsafe } = client;
    let isDone = false;
    return vi.spyOn(client, 'unsafe').mockImplementation(((query: string, ...rest: []) => {
      const answer = () => unsafe.call(client, query, ...rest);
      if (isDone || !query.includes(text)) return answer();
      isDone = true;
      return act().then(answer);
    }) as typeof unsafe);
  };

  it('does not go back for accounts that are deleted meanwhile, which wait for the next one', async () => {
    const first = await deleteAccounts(3, org);
    await leaveTraces(first);
    let later: string[] = [];
    // They are deleted while the pass is in the last organization.
    const other = await createOrg(t.api);
    const spy = hooked(`"${orgSchemaName(other.id)}"."saved_views"`, async () => {
      later = await deleteAccounts(2, org);
    });
    await erase();
    spy.mockRestore();
    expect(later).toHaveLength(2);
    expect(await left(first)).toEqual([]);
    expect((await pending()).map(({ passes }) => passes)).toEqual([1, 1, 1, 1, 1]);
  });

  it('is not joined by those that wait', async () => {
    const [one = '', two = ''] = await deleteAccounts(2);
    await sql(`update shared.account_erasures set done_org_id = '${org.id}', lease_until = now() + interval '1 minute' where user_id = '${one}';
      update shared.account_erasures set done_org_id = '${START_OF_PASS}' where user_id = '${two}'`);
    await erase();
    const waiting = async () => (await pending()).map(({ done_org_id, passes }) => [done_org_id, passes]);
    expect(await waiting()).toEqual([
      [org.id, 0],
      [START_OF_PASS, 0],
    ]);
    // The process that had the pass has died.
    await expireLeases();
    await erase();
    expect(await waiting()).toEqual([
      [null, 1],
      [null, 1],
    ]);
  });

  it('goes on where it was when its process died in the middle', async () => {
    const ids = await deleteAccounts(50, org);
    await leaveTraces(ids.slice(0, 5));
    const spy = hooked('where assignee_id =', () =>
      // The database is down.
      Promise.reject(Object.assign(new Error('died here'), { code: '57P01' })),
    );
    await erase();
    spy.mockRestore();
    expect(await left(ids)).not.toEqual([]);
    await expireLeases();
    await erase();
    expect(await left(ids)).toEqual([]);
    expect((await pending()).map(({ passes }) => passes)).toEqual(Array(50).fill(1));
  });
});
