import { beforeAll, beforeEach, expect } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { eraseAccounts } from '../../lib/accounts/deletion/erase.ts';
import {
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* An account to delete, with all that it may leave behind. */

export let t: TestApp;
/** An organization that Zaphod is a member of. */
export let org: TestOrg;
/** Somebody who owns everything that Zaphod owned. */
export let heir: TestUser;
export let zaphod: TestUser;
export let finding: string;

/** The name of Zaphod, which nobody else has. */
export let NAME: string;
export const sql = (text: string) => t.services.database.sql.unsafe(text);
export const in_ = ({ id }: { id: string }) => `"${orgSchemaName(id)}"`;
export const as = ({ cookie }: { cookie?: string | undefined }) => ({ cookie, org: org.slug });
export const remove = (user = zaphod, body: unknown = { confirm: user.email }) =>
  t.api.delete('/auth/me', { cookie: user.cookie, body });
export const erasures = async () =>
  (await sql(`select * from shared.account_erasures where user_id = '${zaphod.id}'`)).length;
/** As if the process that holds the leases had died, and the time between two passes had gone by. */
export const expireLeases = () =>
  sql(
    `update shared.account_erasures set lease_until = now() - interval '1 second' where user_id = '${zaphod.id}'`,
  );

/** Erases until nothing is left to do: on a busy machine a request does not complete the first pass. */
export async function eraseFully(): Promise<void> {
  for (let turns = 0; turns < 5 && (await erasures()) > 0; turns++) {
    await expireLeases();
    await eraseAccounts(t.services);
  }
  expect(await erasures()).toBe(0);
}

/** Makes the heir an owner of everything that a user owns. */
export async function handOver(user: TestUser): Promise<void> {
  for (const { slug } of must(await t.api.get('/orgs', { cookie: user.cookie })))
    must(
      await t.api.post('/members/invite', {
        ...{ cookie: user.cookie, org: slug },
        body: { email: heir.email, role: 'owner' },
      }),
    );
}

/** Makes them before each test of a suite. */
export function prepareAccount(): void {
  beforeAll(async () => {
    t = await startApp();
  });

  beforeEach(makeAccount);
}

async function makeAccount(): Promise<void> {
  org = await createOrg(t.api);
  heir = await createUser(t.api, 'Trillian Astra');
  NAME = `Zaphod ${heir.id}`;
  zaphod = await createUser(t.api, NAME);
  // An organization keeps its name, which its owners can change.
  await sql(`update shared.orgs set name = 'Heart of Gold' where name like '${NAME}%'`);
  await handOver(zaphod);
  must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: zaphod.email, role: 'admin' } }));
  finding = (await push(t.api, org, await createScan(t.api, org))).id;
}

/** Everything that a person may leave behind. @returns a personal token and an API token */
export async function leaveTraces() {
  const { cookie, id } = zaphod;
  const mine = as(zaphod);
  await sql(`update shared.user_emails set verified_at = now() where user_id = '${id}'`);
  must(await t.api.post('/profile/mfa/devices/totp', { cookie, body: { name: `${NAME}'s phone` } }));
  must(await t.api.post('/profile/mfa/enable', { cookie }));
  must(await t.api.post('/auth/forgot-password', { body: { email: zaphod.email } }));
  const token = { name: `${NAME}'s script`, scopes: ['read'], expires_in: 30 };
  const { token: personal } = must(await t.api.post('/profile/tokens', { cookie, body: token }));
  const tokens = `/projects/${org.projectId}/tokens`;
  const { token: agent } = must(await t.api.post(tokens, { ...mine, body: { name: 'ci' } }));
  const patch = (body: object) => t.api.patch(`/findings/${finding}`, { ...mine, body });
  must(await patch({ assignee_id: id }));
  must(await patch({ status: 'confirmed', note: 'Seen it' }));
  must(await t.api.post(`/findings/${finding}/comments`, { ...mine, body: { body: 'By me' } }));
  const comment = `@[${NAME}](${id}) and @[Ada](${org.owner.id}), \`@[${NAME}](${id})\``;
  must(await t.api.post(`/findings/${finding}/comments`, { ...org.asOwner, body: { body: comment } }));
  for (const shared of [true, false])
    must(await t.api.post('/views', { ...mine, body: { name: 'View', query: 'q=x', shared } }));
  const rule = { name: 'Rule', conditions: { title: ['x*'] }, actions: { assignee_id: id } };
  must(await t.api.post('/rules', { ...mine, body: rule }));
  await sql(
    `insert into ${orgSchemaName(org.id)}.project_members values ('${id}', '${org.projectId}', 'viewer', now())`,
  );
  // Rows that others stored about the address.
  await sql(`insert into shared.user_emails (id, user_id, email, created_at)
      values (gen_random_uuid(), '${heir.id}', '${zaphod.email}', now() - interval '1 minute');
    insert into shared.memberships (org_id, user_id, role, invited_email, created_at)
      values ('${org.id}', '${heir.id}', 'viewer', '${zaphod.email}', now() - interval '1 minute');
    insert into shared.mail_queue (id, recipient, subject, html, text, next_attempt_at, created_at)
      values (gen_random_uuid(), '${zaphod.email}', 'Old', '', '', now() + interval '1 hour', now() - interval '1 minute')`);
  return { personal, agent };
}

/** Columns that keep the id of a deleted account, which names nobody. */
export const KEPT_IDS = [
  ...['api_tokens.created_by', 'changes.actor_id', 'events.actor_id', 'finding_events.actor_id'],
];
export const IDS_OF_HISTORY = [
  ...KEPT_IDS,
  ...['audit_entries.actor_id', 'audit_entries.changes', 'audit_entries.target_id'],
  ...['finding_events.from', 'finding_events.to', 'saved_views.owner_id'],
];

/** Where a text is stored: tables and columns of `shared` and of the organization. */
export async function placesOf(text: string): Promise<string[]> {
  const found: string[] = [];
  const tables = await sql(`select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('shared', '${orgSchemaName(org.id)}')`);
  const rows = tables.map(
    ({ schema, name }) => `select '${name}' as name, to_jsonb(t)::text as row from "${schema}"."${name}" t`,
  );
  for (const { name, row } of await sql(rows.join(' union all ')))
    for (const [column, value] of Object.entries(JSON.parse(row as string)))
      if (JSON.stringify(value)?.toLowerCase().includes(text.toLowerCase())) found.push(`${name}.${column}`);
  return [...new Set(found)].sort();
}
