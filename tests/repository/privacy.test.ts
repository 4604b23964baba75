import { readFileSync } from 'node:fs';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import * as accounts from '../../db/schema/accounts.ts';
import * as destinations from '../../db/schema/destinations.ts';
import * as erasures from '../../db/schema/erasures.ts';
import * as identities from '../../db/schema/identities.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { TEMPLATE_SCHEMA } from '../../db/schema/org-schema.ts';
import * as orgs from '../../db/schema/orgs.ts';
import * as tokens from '../../db/schema/personal-tokens.ts';
import * as platform from '../../db/schema/platform.ts';
import * as scim from '../../db/schema/scim.ts';
import { sharedMigrations } from '../../drizzle/migrations.ts';

/* docs/privacy.md names every column that references a person. */

const tables = [
  accounts,
  destinations,
  erasures,
  identities,
  orgs,
  tokens,
  platform,
  scim,
  defineOrgTables(TEMPLATE_SCHEMA),
]
  .flatMap((module) => Object.values(module as Record<string, unknown>))
  .filter((one): one is PgTable => is(one, PgTable));

/** Names of columns that hold a user's id, an address of a person, or something that identifies a person. */
const PERSONAL =
  /(^|_)(user|owner|author|actor|assignee|creator|created_by|updated_by|invited_by|member|mentions|emails?|recipient|sealed|ip|ip_address|user_agent|avatar_url|phone|login)(_|$)/;

/** Columns whose JSON or text may hold a user's id, and those of the account itself. */
const OTHERS = [
  'users.name',
  'users.password_hash',
  'rate_limits.key',
  'rules.actions',
  'changes.what',
  'changes.fields',
  'finding_events.note',
  'finding_events.from',
  'finding_events.to',
];

function personalColumns(): string[] {
  return tables.flatMap((table) => {
    const { name, columns, foreignKeys } = getTableConfig(table);
    const referencing = foreignKeys
      .map((key) => key.reference())
      .filter(({ foreignTable }) => foreignTable === accounts.users || foreignTable === accounts.userEmails)
      .flatMap((reference) => reference.columns.map((column) => column.name));
    return columns
      .map((column) => column.name)
      .filter((column) => referencing.includes(column) || PERSONAL.test(column))
      .map((column) => `${name}.${column}`);
  });
}

const text = readFileSync('docs/privacy.md', 'utf8');
const [, section = ''] = /^## What is stored$([\s\S]*?)^## /m.exec(text) ?? [];
const listed = [...section.matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`(\w+\.\w+)`/g)].map(([, column]) => column ?? ''),
);

describe('docs/privacy.md', () => {
  it('lists every column that references a user or holds an address', () => {
    const missing = [...personalColumns(), ...OTHERS].filter((column) => !listed.includes(column));
    expect(missing).toEqual([]);
  });

  it('lists no column that does not exist', () => {
    const all = tables.flatMap((table) => {
      const { name, columns } = getTableConfig(table);
      return columns.map((column) => `${name}.${column.name}`);
    });
    expect(listed.filter((column) => !all.includes(column))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('is compared with all tables that migrations create', () => {
    const known = new Set(tables.map((table) => getTableConfig(table).name));
    const statements = sharedMigrations.map((migration) => JSON.stringify(migration)).join('\n');
    const namesIn = (pattern: RegExp) => [...statements.matchAll(pattern)].map(([, name = '']) => name);
    const dropped = new Set(namesIn(/DROP TABLE \\"shared\\"\.\\"(\w+)\\"/g));
    const created = namesIn(/CREATE TABLE[^"]*\\"shared\\"\.\\"(\w+)\\"/g).filter(
      (name) => !dropped.has(name),
    );
    expect(created.length).toBeGreaterThan(15);
    expect(created.filter((name) => !known.has(name))).toEqual([]);
  });
});
