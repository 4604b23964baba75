import { and, eq } from 'drizzle-orm';
import { nextOrgs } from '../../../db/accounts/erasure.ts';
import type { Database } from '../../../db/client.ts';
import { readNetworks } from '../../../db/orgs/networks.ts';
import { readProjectRoles } from '../../../db/projects/members.ts';
import type { Projects } from '../../../db/projects/reach.ts';
import { userEmails, users } from '../../../db/schema/accounts.ts';
import { defineOrgTables } from '../../../db/schema/org.ts';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { memberships, orgDeletions, orgs } from '../../../db/schema/orgs.ts';
import type { Config } from '../../config/config.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import { hasAccess, isLimited } from '../../members/fields.ts';
import { isAllowed } from '../../orgs/access-limits.ts';
import { isOrgFlagActive } from '../../orgs/flags.ts';
import { readSessionStanding } from '../../sso/required.ts';
import type { FoundSession } from '../sessions/look-up.ts';
import { readAccount } from './account.ts';
import { recordsOf } from './organization.ts';

export interface ExportOptions {
  database: Database;
  box: SecretBox;
  now: Date;
  /** Migrations of an organization whose schema is up to date. */
  version: number;
  /** The organizations that are read: those where the person has access now; or all, former ones too. */
  orgs: OwnOrgs | 'all';
}

/** Conditions of the person's access to organizations. */
type OwnOrgs = Pick<Config, 'pendingInvitations'> & {
  /** The client's address. */
  ip: string;
  session: Pick<FoundSession, 'id' | 'byPasskey'>;
};

/** Why an organization is left out: its rules keep the person from reading it. */
type LeftOut =
  | 'deleted'
  | 'membership_pending'
  | 'mfa_required_by_org'
  | 'sso_required'
  | 'address_not_allowed'
  | 'being_migrated';

interface ExportedOrg {
  id: string;
  slug: string;
  name: string;
  left_out?: LeftOut;
}

interface Found {
  org: ExportedOrg;
  hasTables: boolean;
  /** The projects that the person reaches. Undefined: all. */
  projects?: Projects;
}

const BLOCK = 64 * 1024;

/** JSON of a row, without fields that have no value. */
const toJson = (row: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));

/** The same for parts that are rows or lists of rows. */
const toParts = (parts: Record<string, object>): string =>
  Object.entries(parts)
    .map(
      ([name, part]) => `"${name}":${Array.isArray(part) ? `[${part.map(toJson).join(',')}]` : toJson(part)}`,
    )
    .join(',');

/**
 * Everything that is stored about a person, as the JSON text of an object, in parts.
 * @returns nothing if there is no such account
 */
export async function* exportAccount(options: ExportOptions, userId: string): AsyncGenerator<string> {
  const { database, now } = options;
  const account = await readAccount({ ...options, db: database.db }, userId);
  if (!account) return;
  let text = `{"exported_at":"${now.toISOString()}",${toParts(account)},"organizations":[`;
  let separator = '';
  for await (const { org, hasTables, projects } of orgsOf(options, userId)) {
    const shown = JSON.stringify(org);
    text += separator + (org.left_out ? shown : shown.slice(0, -1));
    separator = ',';
    if (org.left_out) continue;
    const tables = defineOrgTables(orgSchemaName(org.id));
    for (const [kind, read] of Object.entries(recordsOf(database.of(org), tables, userId, projects))) {
      text += `,"${kind}":[`;
      let comma = '';
      for await (const record of hasTables ? await read() : []) {
        text += comma + toJson(record);
        comma = ',';
        if (text.length < BLOCK) continue;
        yield text;
        text = '';
      }
      text += ']';
    }
    text += '}';
  }
  yield `${text}]}`;
}

async function* orgsOf(options: ExportOptions, userId: string): AsyncGenerator<Found> {
  if (options.orgs !== 'all') yield* ownOrgs(options, options.orgs, userId);
  else
    for (let last: string | null = null; ; ) {
      const page: ExportedOrg[] = await nextOrgs(options.database.sql, last, options.version, 100);
      for (const org of page) yield { org, hasTables: true };
      last = page.at(-1)?.id ?? null;
      if (last === null) return;
    }
}

async function* ownOrgs(
  { database, version }: ExportOptions,
  settings: OwnOrgs,
  userId: string,
): AsyncGenerator<Found> {
  const { db } = database;
  const rows = await db
    .select({
      ...{ id: orgs.id, slug: orgs.slug, name: orgs.name, version: orgs.schemaVersion },
      ...{
        access: hasAccess(settings),
        limited: isLimited,
        mfaEnabled: users.mfaEnabled,
        deletedAt: orgDeletions.deletedAt,
      },
    })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .leftJoin(orgDeletions, eq(orgDeletions.orgId, orgs.id))
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(eq(memberships.userId, userId))
    .orderBy(orgs.slug);
  for (const { access, limited, mfaEnabled, deletedAt, version: has, ...org } of rows) {
    const hasTables = has > 0;
    const leftOut = async (): Promise<LeftOut | undefined> => {
      if (!access) return 'membership_pending';
      if (deletedAt !== null) return 'deleted';
      if (!hasTables) return undefined;
      if (has < version) return 'being_migrated';
      const tables = defineOrgTables(orgSchemaName(org.id));
      if (!isAllowed(await readNetworks(db, tables), settings.ip)) return 'address_not_allowed';
      const ids = { sessionId: settings.session.id, userId, orgId: org.id };
      const { lacksSso, trustedMfa } = await readSessionStanding(db, ids);
      if (lacksSso) return 'sso_required';
      const hasMfa = mfaEnabled || settings.session.byPasskey || trustedMfa;
      if (!hasMfa && (await isOrgFlagActive(db, tables, 'require_mfa'))) return 'mfa_required_by_org';
      return undefined;
    };
    const left_out = await leftOut();
    const projects = limited && !left_out ? await projectsIn({ ...org, hasTables }) : undefined;
    yield { org: { ...org, ...(left_out && { left_out }) }, hasTables, projects };
  }

  async function projectsIn(org: { id: string; hasTables: boolean }): Promise<Projects> {
    if (!org.hasTables) return [];
    const tables = defineOrgTables(orgSchemaName(org.id));
    const found = await readProjectRoles(database.of(org).sql, tables, [userId]);
    return [...(found.get(userId)?.keys() ?? [])];
  }
}
