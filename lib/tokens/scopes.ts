import { ROLES, type Role } from '../../db/schema/orgs.ts';
import { TOKEN_SCOPES, type TokenScope } from '../../db/schema/values.ts';
import { ApiError } from '../errors.ts';
import { optional, z } from '../schema.ts';

/**
 * The role that a scope gives on the endpoints of members. `ingest` gives none: it opens the endpoints of agents. No scope
 * gives the role of an owner.
 */
const ROLE_OF: Partial<Record<TokenScope, Role>> = { read: 'viewer', triage: 'member', admin: 'admin' };

/** How much a role may: 0 for a viewer. */
export const rankOf = (role: Role): number => ROLES.length - 1 - ROLES.indexOf(role);

/** The lower of two roles. */
export const lower = (a: Role, b: Role): Role => (rankOf(a) < rankOf(b) ? a : b);

/** The highest role of the scopes; undefined if they open the endpoints of agents only. */
export const roleOf = (scopes: readonly TokenScope[]): Role | undefined =>
  scopes.flatMap((scope) => ROLE_OF[scope] ?? []).sort((a, b) => rankOf(b) - rankOf(a))[0];

/** The scope that an endpoint of a role asks for; undefined if none opens it. */
export const scopeOf = (role: Role): TokenScope | undefined =>
  TOKEN_SCOPES.find((scope) => ROLE_OF[scope] === role);

/**
 * The role of a token on an endpoint: that of its scopes, but at most that of its owner.
 * @throws ApiError `token_error/scope_mismatch` if the scopes do not cover the endpoint's role
 */
export function requireScope(scopes: readonly TokenScope[], needed: Role, owner: Role = 'owner'): Role {
  const role = roleOf(scopes);
  if (!role || rankOf(role) < rankOf(needed))
    throw new ApiError('token_error/scope_mismatch', {
      message: `The token lacks the scope \`${scopeOf(needed)}\`.`,
    });
  return lower(role, owner);
}

/** Each scope once, in their order. */
const sorted = (scopes: readonly TokenScope[]): TokenScope[] =>
  TOKEN_SCOPES.filter((scope) => scopes.includes(scope));

/** Scopes in a body, of those a kind of token may have. */
export const scopesInput = <const S extends TokenScope>(
  allowed: readonly [S, ...S[]],
  otherwise: S,
  description: string,
) =>
  optional(
    z
      .array(z.enum(allowed))
      .min(1, 'must not be empty')
      .max(TOKEN_SCOPES.length)
      .transform((scopes) => sorted(scopes))
      .openapi({
        type: 'array',
        items: { type: 'string', enum: [...allowed] },
        minItems: 1,
        maxItems: TOKEN_SCOPES.length,
        example: [otherwise],
        description,
      }),
  ).transform((scopes): TokenScope[] => scopes ?? [otherwise]);

/** Scopes as a column holds them. */
export const scopesText = (scopes: readonly TokenScope[]): string => scopes.join();
