import { toResource } from '../../db/resources.ts';
import {
  MAPPED_ROLES,
  PROJECT_ACCESS,
  type SsoClaims,
  type ssoConnections as t,
} from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import { plainIssuer } from '../outbound/issuers.ts';
import { id, optional, shown, text, timestamp, z } from '../schema.ts';

/* The fields of connections, in requests, responses and rows. */

export const MAX_CONNECTIONS = 20;
const MAX_MAPPINGS = 200;
const MAX_DOMAINS = 50;

export const DEFAULT_CLAIMS: SsoClaims = { email: 'email', name: 'name', groups: 'groups' };
export const DEFAULT_SCOPES = ['openid', 'email', 'profile'];

/** A connection, as the API shows it. */
export const Connection = z
  .object({
    id: id(),
    name: shown('Acme Keycloak'),
    issuer: shown('https://login.acme.example/realms/acme'),
    client_id: shown('svc-findings'),
    has_client_secret: z.boolean().openapi({ example: true }),
    scopes: z.array(z.string()).openapi({ example: DEFAULT_SCOPES }),
    claims: z.object({ email: shown('email'), name: shown('name'), groups: shown('groups') }),
    domains: z.array(z.string()).openapi({ example: ['acme.example'] }),
    default_role: z.enum(MAPPED_ROLES).optional().openapi({ example: 'viewer' }),
    project_access: z.enum(PROJECT_ACCESS).openapi({ example: 'all' }),
    role_mapping: z
      .array(z.object({ group: shown('security'), role: z.enum(MAPPED_ROLES) }))
      .openapi({ example: [{ group: 'security', role: 'member' }] }),
    enabled: z.boolean().openapi({ example: true }),
    require_sso: z.boolean().openapi({ example: false }),
    trust_mfa: z.boolean().openapi({ example: false }),
    redirect_uri: shown(
      'https://findings.example.com/api/v1/auth/sso/callback',
      'To enter at the provider, as an allowed redirect URI.',
    ),
    backchannel_logout_uri: shown('https://findings.example.com/api/v1/auth/sso/backchannel-logout'),
    post_logout_redirect_uri: shown('https://findings.example.com/login'),
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .openapi('SsoConnection');

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** A domain of e-mail addresses, in lower case. */
export const domainName = () =>
  z
    .string()
    .max(253)
    .trim()
    .toLowerCase()
    .regex(DOMAIN, 'must be a domain such as example.com')
    .openapi({ type: 'string', pattern: DOMAIN.source, example: 'acme.example' });

const claimName = (example: string) => optional(text({ min: 1, max: 200, trim: true, example }));

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/;

const scopes = () =>
  z
    .union([z.array(z.string()), z.string().transform((given) => given.split(' ').filter(Boolean))])
    .refine((given) => given.length <= 20 && given.every((scope) => SCOPE.test(scope)), 'must be scopes')
    .transform((given) => [...new Set(['openid', ...given])])
    .openapi({ type: 'array', items: { type: 'string' }, example: DEFAULT_SCOPES });

/** The fields of a connection in requests. */
export const connectionShape = {
  name: text({ min: 1, max: 100, trim: true, example: 'Acme Keycloak' }),
  issuer: text({ min: 1, max: 500, trim: true, example: 'https://login.acme.example/realms/acme' }).transform(
    plainIssuer,
  ),
  client_id: text({ min: 1, max: 255, trim: true, example: 'svc-findings' }),
  client_secret: text({ min: 1, max: 1024, trim: true, example: 'a-secret-of-the-provider' })
    .nullable()
    .openapi({
      type: 'string',
      nullable: true,
      description:
        'Encrypted, and never returned. `null`: a public client, which proves itself by PKCE only.',
    } as object),
  scopes: scopes(),
  claims: z
    .object({ email: claimName('email'), name: claimName('name'), groups: claimName('groups') })
    .openapi({
      description:
        'Names of the claims to read. A name with dots also names a claim inside another, such as `realm_access.roles`.',
    }),
  domains: z
    .array(domainName())
    .max(MAX_DOMAINS)
    .openapi({ example: ['acme.example'] }),
  default_role: z
    .enum(MAPPED_ROLES)
    .nullable()
    .openapi({
      type: 'string',
      nullable: true,
      enum: [...MAPPED_ROLES, null],
      description:
        'The role of a person without a mapped group, whose address is of a proven domain of the connection. `null`: no access.',
      example: 'viewer',
    } as object),
  role_mapping: z
    .array(
      z.object({
        group: text({ min: 1, max: 500, example: 'security' }),
        role: z.enum(MAPPED_ROLES).openapi({ example: 'member' }),
      }),
    )
    .max(MAX_MAPPINGS)
    .openapi({
      description: 'The highest role of the groups of a person counts. Nobody becomes an owner by a group.',
      example: [{ group: 'security', role: 'member' }],
    }),
  project_access: z.enum(PROJECT_ACCESS).openapi({
    description:
      'The access of people who join by the connection, or are provisioned. `assigned`: none until they are assigned to projects.',
    example: 'assigned',
  }),
  enabled: z.boolean().openapi({ example: true }),
  require_sso: z.boolean().openapi({ example: false }),
  trust_mfa: z.boolean().openapi({ example: false }),
};

const { name, issuer, client_id, ...others } = connectionShape;
const optionalShape = {
  client_secret: others.client_secret.optional(),
  scopes: optional(others.scopes),
  claims: optional(others.claims),
  domains: optional(others.domains),
  default_role: others.default_role.optional(),
  role_mapping: optional(others.role_mapping),
  project_access: optional(others.project_access),
  enabled: optional(others.enabled),
  require_sso: optional(others.require_sso),
  trust_mfa: optional(others.trust_mfa),
};

export const ConnectionInput = z.object({ name, issuer, client_id, ...optionalShape });
export const ConnectionChanges = z.object({
  name: optional(name),
  issuer: optional(issuer),
  client_id: optional(client_id),
  ...optionalShape,
});

type Input = z.output<typeof ConnectionInput>;
type Changes = z.output<typeof ConnectionChanges>;
type Row = typeof t.$inferSelect;

/** Addresses that the operator of a provider enters there. */
export const addressesOf = ({ publicUrl }: Pick<Config, 'publicUrl'>) => ({
  redirect_uri: `${publicUrl}/api/v1/auth/sso/callback`,
  backchannel_logout_uri: `${publicUrl}/api/v1/auth/sso/backchannel-logout`,
  post_logout_redirect_uri: `${publicUrl}/login`,
});

export const toConnection = (config: Pick<Config, 'publicUrl'>, row: Row) =>
  toResource({
    id: row.id,
    ...auditedValues(row),
    has_client_secret: row.clientSecret !== null,
    scopes: row.scopes.split(' '),
    ...addressesOf(config),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  });

/** The values of a connection that an audit log and mails show. */
export const auditedValues = (row: Row) => ({
  name: row.name,
  issuer: row.issuer,
  client_id: row.clientId,
  scopes: row.scopes,
  claims: row.claims,
  domains: row.domains,
  default_role: row.defaultRole,
  role_mapping: row.roleMapping,
  project_access: row.projectAccess,
  enabled: row.enabled,
  require_sso: row.requireSso,
  trust_mfa: row.trustMfa,
});

/** The context of a sealed client secret. */
export const secretContext = (connectionId: string) => `sso_connections ${connectionId}`;

/** The columns of a new connection. */
export async function newColumns(
  box: SecretBox,
  { id, at, orgId }: { id: string; at: Date; orgId: string },
  given: Input,
): Promise<typeof t.$inferInsert> {
  return {
    id,
    orgId,
    name: given.name,
    issuer: given.issuer,
    clientId: given.client_id,
    clientSecret: given.client_secret ? await box.seal(given.client_secret, secretContext(id)) : null,
    scopes: (given.scopes ?? DEFAULT_SCOPES).join(' '),
    claims: { ...DEFAULT_CLAIMS, ...defined(given.claims) },
    domains: [...new Set(given.domains ?? [])],
    defaultRole: given.default_role ?? null,
    roleMapping: given.role_mapping ?? [],
    projectAccess: given.project_access ?? 'all',
    enabled: given.enabled ?? true,
    requireSso: given.require_sso ?? false,
    trustMfa: given.trust_mfa ?? false,
    createdAt: at,
    updatedAt: at,
  };
}

/** The columns that a change sets. */
export async function changedColumns(
  box: SecretBox,
  before: Row,
  given: Changes,
  now: Date,
): Promise<Partial<typeof t.$inferInsert>> {
  const { client_secret: secret } = given;
  return {
    ...defined({
      name: given.name,
      issuer: given.issuer,
      clientId: given.client_id,
      scopes: given.scopes?.join(' '),
      claims: given.claims && { ...before.claims, ...defined(given.claims) },
      domains: given.domains && [...new Set(given.domains)],
      defaultRole: given.default_role,
      roleMapping: given.role_mapping,
      projectAccess: given.project_access,
      enabled: given.enabled,
      requireSso: given.require_sso,
      trustMfa: given.trust_mfa,
    }),
    ...(secret !== undefined && {
      clientSecret: secret === null ? null : await box.seal(secret, secretContext(before.id)),
    }),
    updatedAt: now,
  };
}

const defined = <T extends object>(values: T | undefined) =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
