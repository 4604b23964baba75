import { refusesWrites } from '../../../../db/errors.ts';
import type { Role } from '../../../../db/schema/orgs.ts';
import { ApiError } from '../../../errors.ts';
import { requireNetwork } from '../../../orgs/access-limits.ts';
import { reachOf, rolesIn } from '../../../projects/reach.ts';
import { rightsOfCreator } from '../../../tokens/creators.ts';
import { parseBearer } from '../../../tokens/format.ts';
import { lower, rankOf, requireScope } from '../../../tokens/scopes.ts';
import type { AgentCall, OrgCall, TokenCall } from '../../call.ts';
import { logSecurityEvent } from '../../security-log.ts';
import { middleware } from '../middleware.ts';
import { dueBefore } from './activity.ts';
import type { ReachRule } from './project-scope.ts';

/** Requires an `Authorization` header with a well-formed API token (401). Runs before any lookup. */
export const bearerFormat = middleware<AgentCall>(
  ['auth_error/not_authenticated', 'token_error/invalid_format'],
  function bearerFormat(c, next) {
    c.get('call').bearer = parseBearer(c.req.header('authorization'));
    return next();
  },
);

/**
 * Requires a valid API token of the organization (401), a client in a network that the organization allows (403), and that it is not
 * deleted (403).
 */
export const bearerToken = middleware<TokenCall>(
  [
    ...(['token_error/invalid', 'token_error/expired'] as const),
    ...(['tenant_error/deleted', 'permission_error/address_not_allowed'] as const),
  ],
  async function bearerToken(c, next) {
    const call = c.get('call');
    call.token = await call.services.apiTokens.check(call.org, call.bearer);
    c.get('request').token = call.token.id;
    requireNetwork(call.token.networks, call.peer.ip);
    await next();
  },
);

/** Requires a token for agents: with the scope `ingest` (403). */
export const ingestScope = middleware<AgentCall>(
  ['token_error/scope_mismatch'],
  function ingestScope(c, next) {
    if (!c.get('call').token.scopes.includes('ingest'))
      throw new ApiError('token_error/scope_mismatch', { message: 'The token lacks the scope `ingest`.' });
    return next();
  },
);

/**
 * Requires that the token's scopes and the rights of its creator cover a role (403). From here on the call has the lower of the two roles. A
 * project token reaches its project only, and others the projects of their creator.
 */
export const tokenScope = (needed: Role, project: ReachRule) =>
  middleware<TokenCall & OrgCall>(['token_error/scope_mismatch'], async function tokenScope(c, next) {
    const call = c.get('call');
    const { db, org, services } = call;
    const { id, name, scopes, projectId, createdBy } = call.token;
    requireScope(scopes, needed);
    if (projectId !== null && (project === 'none' || project === 'any member'))
      throw new ApiError('token_error/scope_mismatch', {
        message: 'The token of a project cannot do this: it concerns more than the project.',
      });
    const creator = await rightsOfCreator(db, services.config, org.id, createdBy);
    const assigned = creator.isLimited ? await services.projectMembers(org, createdBy) : undefined;
    if (assigned && (projectId === null ? project === 'none' : !assigned.has(projectId)))
      throw new ApiError('token_error/scope_mismatch', {
        message: `The token can do no more than its creator, whose access is limited to ${projectId === null ? '' : 'other '}projects now.`,
      });
    const given = projectId === null ? undefined : assigned?.get(projectId);
    const ofCreator = given ? lower(creator.role, given) : creator.role;
    const role = requireScope(scopes, needed, ofCreator);
    if (rankOf(role) < rankOf(needed))
      throw new ApiError('token_error/scope_mismatch', {
        message: `The token can do no more than its creator, whose role is ${ofCreator} now.`,
      });
    if (projectId !== null) call.reach = reachOf(new Map([[projectId, role]]), needed);
    else call.reach = assigned && reachOf(rolesIn(assigned, role), needed);
    // At most `member` without a project, because what admins do outside of one concerns the organization.
    call.role = projectId === null && assigned ? lower(role, 'member') : role;
    call.actor = { type: 'token', id, name };
    call.accountId = createdBy;
    await next();
  });

/** Sets the token's `last_used` before the handler, at most once a minute, as for sessions. */
export const memberUse = middleware<TokenCall>([], async function memberUse(c, next) {
  const call = c.get('call');
  const { now, org, services, token } = call;
  if (token.lastUsed === null) await logFirstUse(call);
  else if (token.lastUsed <= dueBefore(now))
    await ignoreFailure(call, services.apiTokens.touch(org, token.id));
  await next();
});

/** Sets the token's `last_used` after the handler, unless the handler's own statement has set it. */
export const tokenUse = middleware<AgentCall>([], async function tokenUse(c, next) {
  const call = c.get('call');
  call.tokenTouched = false;
  if (call.token.lastUsed === null) await logFirstUse(call);
  try {
    await next();
  } finally {
    if (!call.tokenTouched) await ignoreFailure(call, call.services.apiTokens.touch(call.org, call.token.id));
  }
});

/** Writes the first use of a token to the security log. Only one of several concurrent requests writes it. */
async function logFirstUse(call: TokenCall): Promise<void> {
  const { org, services, token } = call;
  if (await ignoreFailure(call, services.apiTokens.claimFirstUse(org, token.id)))
    logSecurityEvent(call, 'token_first_used', { project: token.projectId ?? undefined });
}

/** Logs the failure of a write that must not fail the request. @returns its result; undefined when it failed */
async function ignoreFailure<T>({ log }: TokenCall, write: Promise<T>): Promise<T | undefined> {
  return write.catch((error) => {
    log[refusesWrites(error) ? 'debug' : 'warn']('last_used was not set', { error });
    return undefined;
  });
}
