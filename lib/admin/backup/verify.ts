import { z } from 'zod';
import {
  FIRST,
  SHARED_TABLES,
  type SharedTable,
  type SharedTableName,
  sectionNames,
} from '../../../db/backup/sections.ts';
import type { Migration } from '../../../db/migrations/migrate.ts';
import {
  PLANS,
  PROJECT_ACCESS,
  PROJECT_TOKEN_CREATORS,
  ROLE_LOSS_RULES,
  ROLES,
} from '../../../db/schema/orgs.ts';
import { isDomain } from '../domains.ts';
import { AdminError, oneLine } from '../error.ts';
import type { Cells, Header } from './format.ts';
import type { BackupKey } from './keys.ts';
import { readBackup } from './read.ts';

const text = (max: number) => z.string().max(max);
const id = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
/** Not `infinity`, which PostgreSQL takes and no response can show. */
const time = z.string().regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}(?:\.[0-9]{1,6})?\+00$/);
const number = z.string().regex(/^[0-9]{1,6}$/);

const OrgRow = z.object({
  name: text(200).min(1),
  slug: text(50),
  plan: z.enum(PLANS),
  custom_domain: z.string().refine(isDomain, 'is no host name').nullable(),
  viewer_tokens_verify: z.enum(['true', 'false']),
  created_by: id.nullable(),
  created_at: time,
  tokens_on_role_loss: z.enum(ROLE_LOSS_RULES).default('limit'),
  project_token_creators: z.enum(PROJECT_TOKEN_CREATORS).nullable().default(null),
  max_token_days: number.nullable().default(null),
  session_idle_minutes: number.nullable().default(null),
  session_max_hours: number.nullable().default(null),
});

const MemberRow = z.object({
  user_id: id,
  role: z.enum(ROLES),
  invited_email: text(320).nullable(),
  confirmed_at: time.nullable(),
  created_at: time,
  suspended_at: time.nullable().default(null),
  project_access: z.enum(PROJECT_ACCESS).default('all'),
  email: text(320).nullable(),
});
export type MemberRow = z.infer<typeof MemberRow>;

/** The small tables of `shared`. PostgreSQL does not check all that the service relies on. */
const ROWS = {
  orgs: OrgRow,
  memberships: MemberRow,
  org_migrations: z.object({ name: text(200), hash: text(64), applied_at: time }),
  reserved_slugs: z.object({ slug: text(50), reserved_at: time }),
  retention: z.object({ resolved_findings: number.nullable(), scans: number.nullable() }),
  project_purges: z.object({ project_id: id }),
  report_imports: z.object({ scan_id: text(100) }),
} satisfies Record<(typeof FIRST)[number], z.ZodType>;

type Small = { [Name in keyof typeof ROWS]: z.infer<(typeof ROWS)[Name]>[] };

/** A backup that is complete, and what a restore keeps of it in memory. */
export interface VerifiedBackup extends Small {
  header: Header;
  rows: Record<string, number>;
  sha256: string;
}

/** Rows of all small tables together. */
const MOST_SMALL_ROWS = 200_000;

/**
 * Reads a whole backup without a database.
 * @throws AdminError if it is no complete backup of this or an older version of the schema
 */
export async function verifyBackup(
  path: string,
  key: BackupKey,
  migrations: readonly Migration[],
): Promise<VerifiedBackup> {
  const wrong = (reason: string) => new AdminError(`${oneLine(path)} is not a usable backup: ${reason}`);
  const small: Record<string, unknown[]> = {};
  let header: Header | undefined;
  let expected: string[] = [];
  let section = '';
  let columns: string[] = [];
  let smallRows = 0;
  for await (const part of readBackup(path, key)) {
    if (part.kind === 'header') {
      header = part.header;
      if (header.schema_version > migrations.length)
        throw new AdminError(
          `${oneLine(path)} has schema ${header.schema_version}, and this version has ${migrations.length}: use version ${oneLine(header.service_version)} of the service or a newer one`,
        );
      expected = sectionNames(migrations.slice(0, header.schema_version));
    } else if (part.kind === 'section') {
      ({ name: section, columns } = part);
      const next = expected.shift();
      if (section !== next)
        throw wrong(`${oneLine(section)} is not the table that comes next (${next ?? 'none'})`);
      requireSharedColumns(section, columns, wrong);
      if (isSmall(section)) small[section] = [];
    } else if (part.kind === 'rows') {
      for (const line of part.lines) {
        const cells = cellsOf(line, columns.length);
        if (!cells) throw wrong(`a row of ${section} is not a list of ${columns.length} texts`);
        if (!isSmall(section)) continue;
        if (++smallRows > MOST_SMALL_ROWS) throw wrong('it has too many members');
        small[section]?.push(checkedRow(section, columns, cells, wrong));
      }
    } else {
      if (expected.length > 0) throw wrong(`it lacks ${expected[0]}`);
      const rows = small as unknown as { [Name in `shared.${keyof Small}`]: never };
      const tables = Object.fromEntries(FIRST.map((name) => [name, rows[`shared.${name}`]]));
      const backup = { ...tables, header, rows: part.rows, sha256: part.sha256 } as unknown as VerifiedBackup;
      requireSteps(backup, migrations, wrong);
      return backup;
    }
  }
  throw wrong('it is empty');
}

const isSmall = (section: string) => FIRST.some((name) => section === `shared.${name}`);

type Wrong = (reason: string) => AdminError;

function requireSharedColumns(section: string, columns: readonly string[], wrong: Wrong): void {
  if (!section.startsWith('shared.')) return;
  const {
    columns: own,
    added = [],
    extra = {},
  }: SharedTable = SHARED_TABLES[section.slice(7) as SharedTableName];
  const names = [...own, ...Object.keys(extra)];
  // Each earlier version has fewer of the columns that were added.
  const missing = names.length - columns.length;
  const known = [...own.slice(0, own.length - missing), ...Object.keys(extra)];
  if (missing > added.length || columns.join() !== known.join())
    throw wrong(`${section} has other columns than ${names.join(', ')}`);
}

function cellsOf(line: string, count: number): Cells | undefined {
  try {
    const cells: unknown = JSON.parse(line);
    const isRow = Array.isArray(cells) && cells.length === count;
    return isRow && cells.every((cell) => cell === null || typeof cell === 'string') ? cells : undefined;
  } catch {
    return undefined;
  }
}

function checkedRow(section: string, columns: readonly string[], cells: Cells, wrong: Wrong): unknown {
  const schema: z.ZodType = ROWS[section.slice(7) as keyof typeof ROWS];
  const result = schema.safeParse(Object.fromEntries(columns.map((name, i) => [name, cells[i]])));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw wrong(oneLine(`${section}: ${issue?.path.join('.') ?? ''}: ${issue?.message}`).slice(0, 300));
}

/** The migrations that its schema has had must be the first ones of this version. */
function requireSteps(backup: VerifiedBackup, migrations: readonly Migration[], wrong: Wrong): void {
  const { header, orgs, org_migrations: steps } = backup;
  if (orgs.length !== 1) throw wrong(`it has ${orgs.length} organizations`);
  if (orgs[0]?.slug !== header.org.slug) throw wrong('it names two slugs');
  const hashes = new Map(steps.map(({ name, hash }) => [name, hash]));
  const known = migrations.slice(0, header.schema_version);
  if (steps.length !== known.length || known.some(({ name, hash }) => hashes.get(name) !== hash))
    throw wrong('its schema has had other migrations than those of this version of the service');
}
