import { type SQL, sql } from 'drizzle-orm';
import type { Migration } from '../migrations/migrate.ts';
import { TEMPLATE_SCHEMA } from '../schema/org-schema.ts';

/*
 * A backup has one section for each table. Sections of `shared` are declared here with their columns; sections of the schema of
 * an organization have all columns.
 */

/** A table of `shared` with rows of organizations. */
export interface SharedTable {
  /** The column with the id of the organization. */
  key: string;
  columns: readonly string[];
  /** The last of these, in the order in which versions added them. Backups of earlier versions lack some or all of them. */
  added?: readonly string[];
  /** Columns that a restore sets itself. */
  set?: Readonly<Record<string, SQL>>;
  /** Further values of a backup, of the row `t`. They are no columns of the table. */
  extra?: Readonly<Record<string, SQL>>;
}

export const SHARED_TABLES = {
  orgs: {
    key: 'id',
    columns: [
      ...['name', 'slug', 'plan', 'custom_domain', 'viewer_tokens_verify', 'created_by', 'created_at'],
      ...['tokens_on_role_loss', 'project_token_creators', 'max_token_days'],
      ...['session_idle_minutes', 'session_max_hours'],
    ],
    added: [
      ...['tokens_on_role_loss', 'project_token_creators', 'max_token_days'],
      ...['session_idle_minutes', 'session_max_hours'],
    ],
    // `schema_version` is that of the service which restores.
    set: {
      schema_version: sql`0`,
      lacks_indexes: sql`false`,
      share_id: sql`null::uuid`,
      is_unused: sql`false`,
      verify_by: sql`null::timestamptz`,
      verify_warned_at: sql`null::timestamptz`,
    },
  },
  memberships: {
    key: 'org_id',
    columns: [
      'user_id',
      'role',
      'invited_email',
      'confirmed_at',
      'created_at',
      'suspended_at',
      'project_access',
    ],
    added: ['suspended_at', 'project_access'],
    // Only accounts that have verified an address become members.
    set: {
      is_held: sql`false`,
      owner_offer_until: sql`null::timestamptz`,
      owner_offer_by: sql`null::uuid`,
      owner_since: sql`null::timestamptz`,
      // A restored organization has no connections.
      mapped_by: sql`null::uuid`,
      break_glass: sql`false`,
      role_provisioned: sql`false`,
      last_active_at: sql`null::timestamptz`,
    },
    extra: {
      email: sql`(select e.email from shared.user_emails e where e.user_id = t.user_id and e.is_primary)`,
    },
  },
  org_migrations: { key: 'org_id', columns: ['name', 'hash', 'applied_at'] },
  reserved_slugs: { key: 'org_id', columns: ['slug', 'reserved_at'], set: { moved_to: sql`null::text` } },
  retention: {
    key: 'org_id',
    columns: ['resolved_findings', 'scans'],
    // Leaves a day to change the periods of an old backup before they remove something.
    set: { due_at: sql`now() + interval '1 day'`, position: sql`null::uuid` },
  },
  project_purges: { key: 'org_id', columns: ['project_id'], set: { lease_until: sql`now()` } },
  // Nobody goes on with these imports, so a server ends their scans.
  report_imports: {
    key: 'org_id',
    columns: ['scan_id'],
    set: { id: sql`gen_random_uuid()`, lease_until: sql`now()` },
  },
  accepted_risks: { key: 'org_id', columns: ['finding_id', 'due_at', 'noted_at'] },
} satisfies Record<string, SharedTable>;

export type SharedTableName = keyof typeof SHARED_TABLES;

/** The other tables of `shared`, and why a backup of an organization does not have them. */
export const NOT_IN_BACKUPS = {
  users: 'accounts belong to several organizations',
  user_emails: 'accounts',
  sessions: 'accounts',
  mailed_tokens: 'accounts',
  mfa_devices: 'accounts',
  mfa_logins: 'accounts',
  identities: 'accounts',
  sso_sessions: 'accounts',
  sso_connections: 'they have secrets of providers, whose keys are not in the backup',
  org_domains: 'proven again by DNS',
  destinations:
    'they have secrets, whose keys are not in the backup, and a restored copy must not write to others',
  event_positions: 'of destinations',
  scim_tokens: 'hashes of tokens',
  scim_users: 'the provider sends them again',
  scim_groups: 'the provider sends them again',
  scim_group_members: 'the provider sends them again',
  used_challenges: 'of sign-ins, for five minutes',
  primary_email_changes: 'accounts',
  email_codes: 'accounts',
  recovery_codes: 'accounts',
  rate_limits: 'counters of accounts and addresses',
  notification_settings: 'accounts',
  personal_tokens: 'they belong to accounts, also those that work in one organization only',
  account_erasures: 'deleted accounts',
  deletion_jobs: 'noted again from the deletions of the organization',
  org_deletions: 'a restored organization is not deleted',
  declined_invitations: 'hashes of addresses, for 30 days',
  invitation_links: 'mailed links, for 30 days',
  org_usage: 'measured again',
  org_undo_links: 'a restored organization has the members of the backup',
  project_transfers: 'a restored project is in its organization',
  feature_flags: 'the deployment',
  settings: 'the deployment',
  migrations: 'the deployment',
  operator_events: 'the deployment',
  outgoing_mails: 'the mail queue',
  mail_queue: 'the mail queue',
} as const;

/** Read first. They are small: a restore keeps them in memory. */
export const FIRST = [
  'orgs',
  'memberships',
  'org_migrations',
  'reserved_slugs',
  'retention',
  'project_purges',
  'report_imports',
] as const satisfies readonly SharedTableName[];

/** Has as many rows as findings at the most. */
export const LAST = 'accepted_risks' satisfies SharedTableName;

const CREATED = new RegExp(`^CREATE TABLE "${TEMPLATE_SCHEMA}"\\."(\\w+)"`);
const DROPPED = new RegExp(`^DROP TABLE "${TEMPLATE_SCHEMA}"\\."(\\w+)"`);

/** The tables of an organization whose schema has had these migrations. */
export function orgTableNames(migrations: readonly Migration[]): string[] {
  const names = new Set<string>();
  for (const text of migrations.flatMap(({ statements }) => statements)) {
    const [, created] = CREATED.exec(text) ?? [];
    const [, dropped] = DROPPED.exec(text) ?? [];
    if (created) names.add(created);
    if (dropped) names.delete(dropped);
  }
  return [...names];
}

/** The names of all sections in the order of the file. */
export const sectionNames = (migrations: readonly Migration[]): string[] => [
  ...FIRST.map((name) => `shared.${name}`),
  ...orgTableNames(migrations).map((name) => `org.${name}`),
  `shared.${LAST}`,
];
