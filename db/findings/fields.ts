import { getTableColumns } from 'drizzle-orm';
import { boolean, doublePrecision, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../schema/columns.ts';
import { FINDING_STATUSES, SEVERITIES } from '../schema/values.ts';
import type { Field } from './field-type.ts';

const SCAN_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

/**
 * The fields of a finding, in the order in which the API shows them. The table, the schemas of requests and responses,
 * the statement that writes pushes, JSON, CSV and the types derive from this declaration. A new field comes last, because
 * ALTER TABLE adds its column at the end.
 */
export const FINDING_FIELDS = {
  /** A UUID v7 of the millisecond of `created_at`: the primary key is also the order of lists. */
  id: { column: uuid('id').primaryKey(), first: { from: 'id' }, onRepeat: 'keep' },
  scanId: {
    column: text('scan_id').notNull(),
    input: { format: 'scan id' },
    onRepeat: 'keep',
    example: SCAN_ID,
    description: 'The scan that reported it first.',
  },
  lastScanId: {
    column: text('last_scan_id').notNull(),
    first: { from: 'scan_id' },
    onRepeat: 'replace',
    example: SCAN_ID,
  },
  projectId: { column: uuid('project_id').notNull(), input: 'any', onRepeat: 'match' },
  fingerprint: {
    column: text('fingerprint').notNull(),
    input: { characters: { min: 1, max: 256 } },
    onRepeat: 'match',
    example: 'sqli-search-7f3a',
  },
  title: {
    column: text('title').notNull(),
    input: { characters: { min: 1, max: 500 } },
    onRepeat: 'replace',
    example: 'SQL injection in search',
  },
  severity: { column: text('severity', { enum: SEVERITIES }).notNull(), input: 'any', onRepeat: 'replace' },
  description: {
    column: text('description').notNull(),
    input: { bytes: { min: 1, max: 102_400 } },
    onRepeat: 'replace',
    example: 'User input reaches the **query**.',
    description: 'Markdown.',
  },
  cwe: {
    column: text('cwe'),
    input: { pattern: /^CWE-[0-9]{1,9}$/, form: 'CWE-NNN' },
    onRepeat: 'replace if given',
    example: 'CWE-89',
  },
  cve: {
    column: text('cve'),
    input: { pattern: /^CVE-[0-9]{4}-[0-9]{4,19}$/, form: 'CVE-YYYY-NNNNN' },
    onRepeat: 'replace if given',
    example: 'CVE-2026-12345',
  },
  cvssScore: {
    column: doublePrecision('cvss_score'),
    input: { number: { min: 0, max: 10 } },
    onRepeat: 'replace if given',
    example: 9.8,
  },
  cvssVector: {
    column: text('cvss_vector'),
    input: { characters: { max: 256 } },
    onRepeat: 'replace if given',
    example: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  },
  file: {
    column: text('file'),
    input: { format: 'path', max: 1024 },
    onRepeat: 'replace if given',
    example: 'src/search.ts',
  },
  line: {
    column: integer('line'),
    input: { number: { min: 1, max: 2_147_483_647 } },
    onRepeat: 'replace if given',
    example: 42,
  },
  source: {
    column: text('source'),
    input: { characters: { max: 255 } },
    onRepeat: 'replace if given',
    example: 'semgrep',
  },
  status: { column: text('status', { enum: FINDING_STATUSES }).notNull(), first: 'open', onRepeat: 'keep' },
  statusChangedAt: { column: time('status_changed_at').notNull(), first: { from: 'at' }, onRepeat: 'keep' },
  regressed: {
    column: boolean('regressed').notNull().default(false),
    first: false,
    onRepeat: (stored) => `${stored}.regressed or ${stored}.status in ('fixed', 'verified')`,
    example: false,
    description: 'Seen again after it was fixed or verified.',
  },
  seenCount: {
    column: integer('seen_count').notNull(),
    first: 1,
    onRepeat: (stored) => `${stored}.seen_count + 1`,
    example: 3,
    minimum: 0,
  },
  lastSeenAt: { column: time('last_seen_at').notNull(), first: { from: 'at' }, onRepeat: 'replace' },
  createdAt: { column: time('created_at').notNull(), first: { from: 'at' }, onRepeat: 'keep' },
  updatedAt: { column: time('updated_at').notNull(), first: { from: 'at' }, onRepeat: 'replace' },
  /** `severity` before the latest push, null for a new finding: tells that push what to count. */
  severityBefore: {
    column: text('severity_before', { enum: SEVERITIES }),
    first: null,
    onRepeat: (stored) => `${stored}.severity`,
    hidden: true,
  },
} satisfies Record<string, Field>;

type Declared = typeof FINDING_FIELDS;
type Key = keyof Declared;
type NameOf<K extends Key> = Declared[K]['column']['_']['name'];

/** Names of the fields that agents push. */
export type PushedName = { [K in Key]: Declared[K] extends { input: unknown } ? NameOf<K> : never }[Key];
/** Keys of the fields that the API shows, by their names. */
export type ShownKeys = { [K in Key as Declared[K] extends { hidden: true } ? never : NameOf<K>]: K };

export const findingColumns = Object.fromEntries(
  Object.entries(FINDING_FIELDS).map(([key, { column }]) => [key, column]),
) as { [K in Key]: Declared[K]['column'] };

/** The fields as a list, each with what its column says. */
export const findingFieldList = Object.entries(getTableColumns(pgTable('findings', findingColumns))).map(
  ([key, column]) => {
    const { name, notNull, enumValues } = column;
    const field: Field = FINDING_FIELDS[key as Key];
    return { ...field, key: key as Key, name, notNull, enumValues, sqlType: column.getSQLType() };
  },
);

export type FindingField = (typeof findingFieldList)[number];

/** The fields in responses and files. */
export const shownFindingFields = findingFieldList.filter(({ hidden }) => !hidden);

/** The fields that agents push. */
export const pushedFindingFields = findingFieldList.filter((field) => 'input' in field);
