import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { generateX25519Identity } from 'age-encryption';
import type { Database } from '../../../db/client.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { createScan, createUser, finding, must, push, type TestOrg } from '../api/api.ts';
import type { TestApp } from '../server/app.ts';

export const IDENTITY = await generateX25519Identity();

/** Writes a file and returns its path. */
export function writeSecret(...lines: string[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'key-')), 'backup.key');
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

/** The options of commands that name a key. */
export const KEY = ['--key-file', writeSecret(IDENTITY)];

/** All schemas with their tables, and the rows of `shared`. */
export async function stateOf({ sql }: Database): Promise<string> {
  const tables = await sql.unsafe(
    `select table_schema, table_name from information_schema.tables where table_schema ~ '^(org_|shared)' order by 1, 2`,
  );
  const counts =
    await sql.unsafe(`select (select count(*) from shared.orgs) as orgs, (select count(*) from shared.users) as users,
    (select count(*) from shared.memberships) as members, (select count(*) from shared.reserved_slugs) as slugs,
    (select count(*) from shared.account_erasures) as erasures`);
  return JSON.stringify([tables, counts]);
}

/** The lines of a backup that is not encrypted, without the last one. */
export const linesOf = (file: string): string[] =>
  gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(0, -1);

/** Writes a backup with these lines, whose counts and checksum are right. */
export function writeLines(file: string, lines: readonly string[]): void {
  const rows: Record<string, number> = {};
  let section = '';
  for (const line of lines.slice(1)) {
    if (line.startsWith('[')) rows[section] = (rows[section] ?? 0) + 1;
    else {
      section = (JSON.parse(line) as { table: string }).table;
      rows[section] = 0;
    }
  }
  const text = `${lines.join('\n')}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(file, gzipSync(`${text}${JSON.stringify({ end: true, rows, sha256 })}\n`));
}

/** Every row of every table of an organization, as text. */
export async function rowsOf({ sql }: Database, { id }: { id: string }): Promise<Record<string, string[]>> {
  const schema = orgSchemaName(id);
  const tables = await sql.unsafe<{ name: string }[]>(
    `select table_name as name from information_schema.tables where table_schema = '${schema}' order by 1`,
  );
  const rows: Record<string, string[]> = Object.fromEntries(tables.map(({ name }) => [name, []]));
  const parts = tables.map(
    ({ name }) => `select '${name}' as name, row_to_json(t)::text as text from "${schema}"."${name}" t`,
  );
  const found = tables.length > 0 ? await sql.unsafe(`${parts.join(' union all ')} order by 1, 2`) : [];
  for (const { name, text } of found) rows[name as string]?.push(text as string);
  return rows;
}

/** The rows of an organization in `shared`, without columns that a restore sets. */
export async function sharedRowsOf({ sql }: Database, { id }: { id: string }) {
  const read = (query: string) => sql.unsafe(query.replaceAll('$id', `'${id}'::uuid`));
  return {
    orgs: (await read('select * from shared.orgs where id = $id')).map(({ verify_by: _, ...row }) => row),
    members: (await read('select * from shared.memberships where org_id = $id order by user_id')).map(
      ({ last_active_at: _, ...row }) => row,
    ),
    migrations: [...(await read('select * from shared.org_migrations where org_id = $id order by name'))],
    risks: [...(await read('select * from shared.accepted_risks where org_id = $id order by finding_id'))],
    retention: [...(await read('select resolved_findings, scans from shared.retention where org_id = $id'))],
    slugs: [...(await read('select slug from shared.reserved_slugs where org_id = $id order by slug'))],
    purges: [...(await read('select project_id from shared.project_purges where org_id = $id'))],
  };
}

const DAY = 24 * 60 * 60 * 1_000;

/** Gives an organization rows in all of its tables. */
export async function fill(t: TestApp, org: TestOrg): Promise<void> {
  const { api } = t;
  const { asOwner, asAgent } = org;
  const scan = await createScan(api, org);
  const awkward = 'Quotes \' " \\ \\n {"a":[1]} \u2028 €𝄞\t\nsecond line\r\n\\.';
  const findings: string[] = [];
  for (let i = 0; i < 5; i++)
    findings.push((await push(api, org, scan, { title: `Finding ${i}`, description: awkward })).id);
  await push(api, org, await createScan(api, org), { title: 'Finding 0', fingerprint: 'seen twice' });
  await push(api, org, await createScan(api, org), { title: 'Finding 0', fingerprint: 'seen twice' });
  const [one, two, three, four] = findings;
  const exploit = { filename: 'x.py', language: 'python', code: awkward };
  must(await api.post(`/agent/findings/${one}/exploits`, { ...asAgent, body: exploit }));
  const patch = async (id: string | undefined, body: object) =>
    must(await api.patch(`/findings/${id}`, { ...asOwner, body }));
  await patch(one, { assignee_id: org.owner.id, due_at: new Date(Date.now() + DAY).toISOString() });
  const until = new Date(Date.now() + 30 * DAY).toISOString();
  await patch(two, { status: 'wontfix', reason: 'risk_accepted', accepted_until: until, note: awkward });
  await patch(three, { status: 'fixed' });
  must(await api.patch('/findings', { ...asOwner, body: { ids: [four], status: 'confirmed' } }));
  const comment = { body: `@[Ada](${org.owner.id}) look` };
  must(await api.post(`/findings/${one}/comments`, { ...asOwner, body: comment }));
  must(await api.put('/settings/due-dates', { ...asOwner, body: { ...NO_DUE_DATES, critical: 7 } }));
  must(await api.put('/settings/retention', { ...asOwner, body: { resolved_findings: 400, scans: 500 } }));
  must(await api.patch('/org-features/require_mfa', { ...asOwner, body: { enabled: false } }));
  const trust = { issuer: 'https://gitlab.com', claims: { project_id: 28 } };
  const trusts = `/projects/${org.projectId}/ci-trusts`;
  const { id: trustId } = must(await api.post(trusts, { ...asOwner, body: trust }));
  const ofRun = [`svc_${'0'.repeat(8)}`, '0'.repeat(64), trustId, until];
  await t.services.database.sql.unsafe(
    `insert into ${orgSchemaName(org.id)}.ci_tokens values ($1, $2, $3, $4)`,
    ofRun,
  );
  const rule = { name: 'Rule', conditions: { title: ['By rule*'] }, actions: { status: 'confirmed' } };
  must(await api.post('/rules', { ...asOwner, body: rule }));
  await push(api, org, scan, { title: 'By rule' });
  must(await api.post('/views', { ...asOwner, body: { name: 'View', query: 'q=x', shared: false } }));
  const batch = { findings: [finding(org, scan, { title: 'In a batch' })] };
  const headers = { 'idempotency-key': 'once' };
  must(await api.post('/agent/findings/batch', { ...asAgent, headers, body: batch }));
  const { id: gone } = await push(api, org, scan, { title: 'Deleted', description: awkward });
  must(await api.post('/findings/delete', { ...asOwner, body: { ids: [gone] } }));
  const member = await createUser(api, 'Grace Hopper');
  must(await api.post('/members/invite', { ...asOwner, body: { email: member.email, role: 'member' } }));
  const { sql } = t.services.database;
  await sql.unsafe(`update shared.memberships set project_access = 'assigned' where user_id = $1`, [
    member.id,
  ]);
  await sql.unsafe(
    `with issue as (
       insert into ${orgSchemaName(org.id)}.issues (id, destination_id, key, url, state, told, told_at, created_by, created_at)
       values (gen_random_uuid(), gen_random_uuid(), '1', 'https://github.com/acme/web-shop/issues/1', 'open', 'open', now(), $1, now())
       returning id, destination_id)
     insert into ${orgSchemaName(org.id)}.finding_issues select $2, destination_id, id from issue`,
    [org.owner.id, four ?? null],
  );
  await sql.unsafe(`insert into ${orgSchemaName(org.id)}.project_members values ($1, $2, 'viewer', now())`, [
    member.id,
    org.projectId,
  ]);
}

const NO_DUE_DATES = { critical: null, high: null, medium: null, low: null, info: null };
