import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgStatement, type SqlClient, statement } from '../../db/statements.ts';

const acme = defineOrgTables(orgSchemaName('00000000-0000-0000-0000-00000000000a'));
const umbra = defineOrgTables(orgSchemaName('00000000-0000-0000-0000-00000000000b'));

/** Records what it is given, in place of PostgreSQL. */
function recorder() {
  const sent: { text: string; params: unknown[] }[] = [];
  const unsafe = (text: string, params: unknown[]) => {
    sent.push({ text, params });
    return Promise.resolve([]);
  };
  return { sent, client: { unsafe } as unknown as SqlClient };
}

it('a statement of organizations is built once, and names the schema of its organization', async () => {
  let built = 0;
  const rename = orgStatement<{ id: string; name: string }, object>(({ projects: p }, $) => {
    built++;
    return sql`update ${p} set name = ${$.name} where ${eq(p.id, $.id)}`;
  });
  const { sent, client } = recorder();
  await rename(acme).run(client, { id: 'one', name: 'Shop' });
  await rename(acme).run(client, { name: 'Site', id: 'two' });
  await rename(umbra).run(client, { id: 'one', name: 'Shop' });
  expect(built).toBe(1);
  expect(rename(acme)).toBe(rename(acme));
  const textIn = (schema: string) =>
    `update "${schema}"."projects" set name = $1 where "${schema}"."projects"."id" = $2`;
  expect(sent).toEqual([
    { text: textIn(acme.schema.schemaName), params: ['Shop', 'one'] },
    { text: textIn(acme.schema.schemaName), params: ['Site', 'two'] },
    { text: textIn(umbra.schema.schemaName), params: ['Shop', 'one'] },
  ]);
});

it('a value in the place of a placeholder is a parameter, whatever it contains', async () => {
  const { sent, client } = recorder();
  const value = `'; drop schema "org_template" cascade; --`;
  await statement<{ value: string }, object>(($) => sql`select ${$.value}::text`).run(client, { value });
  expect(sent).toEqual([{ text: 'select $1::text', params: [value] }]);
});

it('a parameter that is missing fails instead of being sent as null', async () => {
  const { sent, client } = recorder();
  const broken = statement<{ one?: string }, object>(($) => sql`select ${$.one}`);
  await expect(broken.run(client, {})).rejects.toThrow('No value for placeholder "one"');
  expect(sent).toEqual([]);
});

/** They run SQL in other ways: the pool and what is below it, cursors, inserts that count, and a search that can be cancelled. */
const OTHER_WAYS = [
  /^db\/(pool|embedded)\//,
  /^db\/(statements|stream)\.ts$/,
  /^db\/backup\/(restore|snapshot)\.ts$/,
  /^db\/findings\/lists\/search\.ts$/,
  /^lib\/edge\/database\.ts$/,
  // Samples of weak code, as text.
  /^lib\/demo\/weaknesses\.ts$/,
];

it('all other code writes SQL with the builder or the tag', () => {
  const root = resolve(import.meta.dirname, '../..');
  const files = ['db', 'lib', 'handlers'].flatMap((dir) =>
    readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' }).map((file) => join(dir, file)),
  );
  const checked = files.filter((file) => file.endsWith('.ts') && !OTHER_WAYS.some((way) => way.test(file)));
  expect(checked.length).toBeGreaterThan(200);
  const raw = /\.(unsafe|execute)(<[^>]*>)?\(|\bsql(<[^>]*>)?`[^`]*\$\{[^}]*schemaName/;
  expect(checked.filter((file) => raw.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});
