import { and, asc, eq, exists, isNotNull, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import {
  type MappedRole,
  orgDeletions,
  orgDomains,
  type ProjectAccess,
  type RoleMapping,
  type SsoClaims,
  ssoConnections as t,
} from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { ApiError } from '../errors.ts';
import { DEFAULT_CLAIMS, DEFAULT_SCOPES, secretContext } from './connection-fields.ts';

/** The id of the connection of the deployment, which is no row. */
export const DEPLOYMENT_ID = '00000000-0000-0000-0000-000000000000';

type Row = typeof t.$inferSelect;

/** A connection that signs in. */
export interface SsoConnection {
  id: string;
  name: string;
  /** Unset: of the deployment. */
  orgId?: string;
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  scopes: string;
  claims: SsoClaims;
  /** The domains of addresses that it speaks for: those of the connection that the organization has proven, or by the operator's word. */
  trustedDomains: readonly string[];
  defaultRole: MappedRole | null;
  roleMapping: readonly RoleMapping[];
  projectAccess: ProjectAccess;
  enabled: boolean;
  trustMfa: boolean;
}

/** The connection of the deployment. */
export function deploymentConnection({ sso }: Pick<Config, 'sso'>): SsoConnection | undefined {
  if (!sso.deployment) return undefined;
  const { domains, ...deployment } = sso.deployment;
  return {
    id: DEPLOYMENT_ID,
    ...deployment,
    scopes: DEFAULT_SCOPES.join(' '),
    claims: DEFAULT_CLAIMS,
    trustedDomains: domains,
    defaultRole: null,
    roleMapping: [],
    projectAccess: 'all',
    enabled: true,
  };
}

interface Context {
  db: Db | Tx;
  config: Pick<Config, 'sso'>;
  secretBox: SecretBox;
}

const isNotDeleted = sql`not exists (select from ${orgDeletions} where ${orgDeletions.orgId} = ${t.orgId})`;

async function open({ db, secretBox }: Context, row: Row): Promise<SsoConnection> {
  const { clientSecret: sealed, ...connection } = row;
  const clientSecret = sealed === null ? undefined : await secretBox.open(sealed, secretContext(row.id));
  const proven = await db
    .select({ domain: orgDomains.domain })
    .from(orgDomains)
    .where(and(eq(orgDomains.orgId, row.orgId), isNotNull(orgDomains.verifiedAt)));
  const trustedDomains = proven.map(({ domain }) => domain).filter((domain) => row.domains.includes(domain));
  return { ...connection, clientSecret, trustedDomains };
}

async function find(context: Context, where: ReturnType<typeof and>): Promise<SsoConnection | undefined> {
  const [found] = await context.db
    .select()
    .from(t)
    .where(and(where, isNotDeleted))
    .orderBy(asc(t.createdAt), asc(t.id))
    .limit(1);
  return found && open(context, found);
}

/** A connection by its id. Connections of deleted organizations are not found. */
export async function findConnection(
  context: Context,
  connectionId: string,
): Promise<SsoConnection | undefined> {
  if (connectionId === DEPLOYMENT_ID) return deploymentConnection(context.config);
  return find(context, eq(t.id, connectionId));
}

/** The id and name of a connection. */
export async function namedConnection(
  { db, config }: Pick<Context, 'db' | 'config'>,
  connectionId: string | null,
): Promise<{ id: string; name: string } | undefined> {
  if (connectionId === null) return undefined;
  const deployment = deploymentConnection(config);
  if (connectionId === DEPLOYMENT_ID) return deployment && { id: DEPLOYMENT_ID, name: deployment.name };
  const [found] = await db.select({ id: t.id, name: t.name }).from(t).where(eq(t.id, connectionId));
  return found;
}

/** The oldest connection of an organization that is enabled. */
export const connectionOfOrg = (context: Context, orgId: string): Promise<SsoConnection | undefined> =>
  find(context, and(eq(t.orgId, orgId), t.enabled));

/** The connection that the domain of an address leads to. It finds no account, so it tells nobody which addresses have one. */
export async function connectionOfAddress(
  context: Context,
  address: string,
): Promise<SsoConnection | undefined> {
  const domain = domainOf(address);
  const proven = context.db
    .select()
    .from(orgDomains)
    .where(
      and(eq(orgDomains.orgId, t.orgId), eq(orgDomains.domain, domain), isNotNull(orgDomains.verifiedAt)),
    );
  const found = await find(context, and(t.enabled, sql`${domain} = any (${t.domains})`, exists(proven)));
  const deployment = deploymentConnection(context.config);
  return found ?? (deployment?.trustedDomains.includes(domain) ? deployment : undefined);
}

export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** @throws ApiError `resource_error/not_found` */
export async function requireConnection(tx: Db | Tx, orgId: string, connectionId: string): Promise<Row> {
  const [row] = await tx
    .select()
    .from(t)
    .where(and(eq(t.id, connectionId), eq(t.orgId, orgId)));
  if (!row) throw new ApiError('resource_error/not_found');
  return row;
}
