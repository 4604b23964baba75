import type { Tx } from '../../../db/client.ts';
import { isUniqueViolation, refusesWrites } from '../../../db/errors.ts';
import type { NewId } from '../../../db/ids.ts';
import { inOneTransaction } from '../../../db/nested.ts';
import type { AuditAction } from '../../audit/actions.ts';
import { ApiError } from '../../errors.ts';
import { GivenUp } from '../../members/invitees.ts';
import { inOrgQuota } from '../../quotas.ts';
import { ScimError } from '../../scim/error.ts';
import type { AccessChange, ScimContext } from '../../scim/roles.ts';
import { checkScimToken, requireScimToken, touchScimToken } from '../../scim/tokens.ts';
import { findBearer } from '../../tokens/format.ts';
import { type Audited, append } from '../audit.ts';
import type { CallActor, InOrgCall } from '../call.ts';
import { mailsOfRequest } from '../mails.ts';
import { dueBefore } from '../middleware/access/activity.ts';
import { middleware } from '../middleware/middleware.ts';
import { logSecurityEvent } from '../security-log.ts';
import { logAccess } from './access.ts';

/** A call of an identity provider. */
export interface ScimCall extends InOrgCall {
  actor: CallActor;
}

/** The name of the actor in the audit log and in mails. */
const ACTOR_NAME = 'Provisioning (SCIM)';

/**
 * Requires the token of an organization (401), which names the organization whatever the host is. The networks that the organization
 * allows do not count: identity providers call from their own.
 */
export const scimToken = middleware<ScimCall>(
  ['auth_error/not_authenticated', 'token_error/invalid', 'tenant_error/deleted'],
  async function scimToken(c, next) {
    const call = c.get('call');
    const { log, now, services } = call;
    const { db } = services.database;
    const bearer = findBearer(c.req.header('authorization'));
    if (!bearer) throw new ApiError('auth_error/not_authenticated');
    const token = await checkScimToken(db, bearer.text);
    const org = await services.orgs.named(token.slug);
    if (!org) throw new ApiError('token_error/invalid');
    const request = c.get('request');
    request.org = org.slug;
    request.token = token.id;
    Object.assign(call, { org, actor: { type: 'token', id: token.id, name: ACTOR_NAME } });
    const before = dueBefore(now);
    if (token.lastUsed === null || token.lastUsed <= before)
      await touchScimToken(db, token.id, now, before).catch((error) => {
        log[refusesWrites(error) ? 'debug' : 'warn']('last_used was not set', { error });
      });
    if (token.lastUsed === null) logSecurityEvent(call, 'token_first_used');
    await next();
  },
);

/** The entry of a change in the audit log. */
export interface Entry extends Audited {
  action: AuditAction;
}

/** Runs a change in one transaction, which ends with its entries. @throws ApiError `token_error/invalid` if the token ends meanwhile */
export async function inScim<T extends { access: readonly AccessChange[] }>(
  call: ScimCall,
  work: (tx: Tx, context: ScimContext & { nextId: () => NewId }) => Promise<T>,
  entriesOf: (result: T) => readonly Entry[],
): Promise<T> {
  const { actor, now, org, services } = call;
  const { config, nextId } = services;
  const by = { user: { id: actor.id, name: actor.name }, now, writeMail: mailsOfRequest(call) };
  const attempt = () =>
    inOneTransaction(
      call.sql,
      ({ db }) =>
        inOrgQuota({ db, org }, async (tx, tables) => {
          await requireScimToken(tx, org.id, actor.id);
          return await work(tx, { config, nextId, actor: by, org: { id: org.id, tables } });
        }),
      async (client, result) => {
        for (const entry of entriesOf(result)) await append(client, call, entry.action, entry);
      },
    );
  const isRace = (error: unknown) => isUniqueViolation(error) || error instanceof GivenUp;
  // Somebody may get or give up an address at the same moment: the second attempt sees what became of it.
  const result = await attempt()
    .catch((error) => {
      if (isRace(error)) return attempt();
      throw error;
    })
    .catch((error) => {
      if (isRace(error))
        throw new ScimError('uniqueness', 'The user or group is changed by another request at the moment.');
      throw error;
    });
  services.storage.written(org);
  services.mail.kick();
  logAccess(call, result.access);
  return result;
}
