import { getTableColumns } from 'drizzle-orm';
import { boolean, doublePrecision, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../schema/columns.ts';
import { FINDING_STATUSES, SEVERITIES, TRIAGE_REASONS } from '../schema/values.ts';
import type { Field } from './field-type.ts';

/** Whether a push of this finding is a regression. A push from a ref that the state of findings does not follow is none. */
const regresses = (stored: string) =>
  `(${stored}.status in ('fixed', 'verified') and excluded.proposed is null)`;

/** Whether a push is the first one from a ref that the state of findings follows. It starts the due date, unless someone has set one. */
const startsDueDate = (stored: string) =>
  `${stored}.proposed and excluded.proposed is null and ${stored}.due_at is null`;

const severityIndex = (severity: string) =>
  `case ${SEVERITIES.map((name, i) => `when ${severity} = '${name}' then ${i + 1}`).join(' ')} end`;

/** The due date of a row by the due dates of the organization, which a rule does not change. */
export const policyDueAt = (row: string) => `${row}.due_dates[${severityIndex(`${row}.severity`)}]`;

/** Whether a push is a regression that starts the due date again. A date that someone set stays if there is no other. */
const restartsDueDate = (stored: string) =>
  `not ${stored}.regressed and ${regresses(stored)} and (${policyDueAt('excluded')} is not null or ${stored}.due_dates is not null)`;

/** The due date after a push: of a regression, of the new severity, or as it was. */
const newDueAt = (stored: string) =>
  `case when ${startsDueDate(stored)} then excluded.due_at
      when ${restartsDueDate(stored)} then ${policyDueAt('excluded')}
      when ${stored}.due_dates is not null and ${stored}.severity <> excluded.severity
        then ${stored}.due_dates[${severityIndex('excluded.severity')}]
      else ${stored}.due_at end`;

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
  status: {
    column: text('status', { enum: FINDING_STATUSES }).notNull(),
    first: { from: 'first_status', otherwise: 'open' },
    onRepeat: 'keep',
  },
  statusChangedAt: { column: time('status_changed_at').notNull(), first: { from: 'at' }, onRepeat: 'keep' },
  regressed: {
    column: boolean('regressed').notNull().default(false),
    first: false,
    onRepeat: (stored) => `${stored}.regressed or ${regresses(stored)}`,
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
  regressedAt: {
    column: time('regressed_at'),
    first: null,
    onRepeat: (stored) =>
      `case when ${stored}.regressed or not ${regresses(stored)} then ${stored}.regressed_at else excluded.updated_at end`,
    description: 'When it was seen again. Only if `regressed` is true; unknown for older regressions.',
  },
  /** `regressed` before the latest push, null for a new finding: tells that push what to count. */
  regressedBefore: {
    column: boolean('regressed_before'),
    first: null,
    onRepeat: (stored) => `${stored}.regressed`,
    example: false,
    hidden: true,
  },
  reason: {
    column: text('reason', { enum: TRIAGE_REASONS }),
    first: { from: 'first_reason' },
    onRepeat: 'keep',
  },
  assigneeId: { column: uuid('assignee_id'), first: { from: 'first_assignee' }, onRepeat: 'keep' },
  dueAt: { column: time('due_at'), first: { from: 'due_at', unlessProposed: true }, onRepeat: newDueAt },
  acceptedUntil: {
    column: time('accepted_until'),
    first: { from: 'first_accepted_until' },
    onRepeat: 'keep',
  },
  /** The token or user whose push created it. */
  createdBy: { column: uuid('created_by'), first: { from: 'actor_id' }, onRepeat: 'keep', hidden: true },
  /** In no index, so that scans that miss a finding and see it again are HOT updates. */
  missingSince: {
    column: time('missing_since'),
    first: null,
    onRepeat: (stored) => `case when excluded.proposed then ${stored}.missing_since end`,
    description:
      'When the latest comparable scan completed without it, if no other default or tracked ref, target or category has it. Absent while one has it.',
  },
  /** The latest change that was not undone (`db/findings/changes/`), or the rule that decided about the new finding. */
  changeId: { column: uuid('change_id'), first: { from: 'decided_by' }, onRepeat: 'keep', hidden: true },
  /**
   * `due_at` for each severity, in the order of SEVERITIES, as the policy was when the finding was found or regressed. Null if
   * there was no policy, or if someone has set `due_at`.
   */
  dueDates: {
    column: time('due_dates').array(),
    first: { from: 'due_dates', unlessProposed: true },
    onRepeat: (stored) =>
      `case when (${startsDueDate(stored)}) or ${restartsDueDate(stored)} then excluded.due_dates else ${stored}.due_dates end`,
    hidden: true,
  },
  /** `due_at` before the latest push, null for a new finding: tells that push what to record. */
  dueBefore: {
    column: time('due_before'),
    first: null,
    onRepeat: (stored) => `${stored}.due_at`,
    hidden: true,
  },
  /** When it was resolved. Null while it is not, and for findings that an earlier version resolved. */
  resolvedAt: {
    column: time('resolved_at'),
    first: { from: 'first_resolved_at' },
    onRepeat: 'keep',
    hidden: true,
  },
  proposed: {
    column: boolean('proposed'),
    first: { from: 'proposed' },
    onRepeat: (stored) => `case when ${stored}.proposed then excluded.proposed end`,
    example: true,
    description: 'Set if only refs that are neither the default branch nor tracked have reported it.',
  },
  /** `proposed` before the latest push, null for a new finding: tells that push what to count. */
  proposedBefore: {
    column: boolean('proposed_before'),
    first: null,
    onRepeat: (stored) => `${stored}.proposed`,
    example: true,
    hidden: true,
  },
  ruleId: {
    column: text('rule_id'),
    input: { characters: { max: 255 } },
    onRepeat: 'replace if given',
    example: 'java.sql-injection',
    description:
      'The id that the tool gives to the rule, check or vulnerability. Findings with the same one are a group.',
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
