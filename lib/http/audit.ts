import { appendEntry } from '../../db/audit/write.ts';
import { inOneTransaction, type NestedClient } from '../../db/nested.ts';
import { hasTables } from '../../db/orgs/tables.ts';
import type { AuditAction, AuditTarget } from '../audit/actions.ts';
import type { ApiError } from '../errors.ts';
import type { Org } from '../orgs/directory.ts';
import type { RevokeOutcome } from '../tokens/issue.ts';
import type { CallActor, InOrgCall, OrgCall, PublicCall, TokenCall, UserCall } from './call.ts';

/** The part of an entry that the caller and the request do not determine. */
export interface Audited {
  target: { type: AuditTarget; id?: string | undefined; name?: string | undefined };
  /** Fields with their values before and after. Never personal data: it could not be erased. */
  changes?: Readonly<Record<string, Change>>;
  /** Unset: the organization of the call. */
  org?: Org;
  /** Unset: the caller. */
  actor?: CallActor;
  /** Entries of what changes with it, such as the roles of members. */
  also?: readonly (Audited & { action: AuditAction })[];
}

export interface Change {
  from?: unknown;
  to?: unknown;
}

/** A call whose changes are recorded in the audit log. */
export interface AuditedCall extends PublicCall {
  /**
   * Runs the change of the request, with its transactions, in one transaction that ends with the entry.
   * @param work gets the call with the clients of the transaction
   * @param entryOf returns the entry. It is not called, and nothing is written, if a transaction of the work fails
   */
  audited<T>(work: (inside: this) => Promise<T>, entryOf: (result: T) => Audited | undefined): Promise<T>;
}

type AnyCall = PublicCall & Partial<InOrgCall & Pick<OrgCall, 'actor'> & Pick<UserCall, 'user'> & TokenCall>;

/** The fields that differ, with their values before and after. */
export function changesOf<T extends object>(
  before: T,
  after: T,
  names = Object.keys(after) as (keyof T & string)[],
): Record<string, Change> {
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}

/** Fields of something new. */
export const newValues = (values: object): Record<string, Change> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, to]) => (to === undefined || to === null ? [] : [[name, { to }]])),
  );

/** The tokens that a member has lost. */
export const tokensRevoked = (tokens: readonly { id: string }[]): Record<string, Change> =>
  newValues({ tokens_revoked: tokens.length > 0 ? tokens.map(({ id }) => id) : undefined });

/** The entry of a revoked token. */
export const revokedEntry =
  (id: string) =>
  (outcome: RevokeOutcome): Audited | undefined =>
    'token' in outcome
      ? {
          target: { type: 'token', id, name: outcome.token.name },
          changes: outcome.kind === 'revoked' ? { revoked: { from: false, to: true } } : {},
        }
      : undefined;

/** Adds `audited` to the call of an endpoint with an action. */
export function beginAudit(call: AnyCall, action: AuditAction): void {
  const audited: AuditedCall['audited'] = (work, entryOf) =>
    inOneTransaction(
      call.sql,
      ({ db, sql }: NestedClient) => work(Object.assign(Object.create(call), { db, sql })),
      async (client, result) => {
        const entry = entryOf(result);
        if (!entry) return;
        await append(client, call, action, entry);
        for (const other of entry.also ?? []) await append(client, call, other.action, other);
      },
    );
  Object.assign(call, { audited });
}

/** Writes the entry of a read in bulk. Call it before the first row is sent. */
export async function auditRead(call: AnyCall, action: AuditAction): Promise<void> {
  if (!call.org || !hasTables(call.org)) return;
  const what = action === 'findings.exported' ? 'findings' : 'organization';
  const target = { type: what, id: what === 'organization' ? call.org.id : '', name: call.org.slug } as const;
  const { path } = call.c.req;
  const format = call.c.req.query('format') ?? path.slice(path.lastIndexOf('.') + 1);
  await append(call.sql, call, action, { target, changes: newValues({ format }) });
}

const REFUSALS = /^(?:permission_error\/|token_error\/scope_mismatch$)/;

/**
 * Writes the entry of a refused call, if the caller is a member or a token of the organization, and has not been refused very often.
 * Others could fill the log of an organization that they have nothing to do with; the security log has them.
 */
export async function auditRefusal(call: AnyCall, error: ApiError): Promise<void> {
  if (!REFUSALS.test(error.key)) return;
  const org = call.org ?? call.refusingOrg;
  const actor = memberOf(call) ?? (call.refusingOrg && actorOf(call));
  if (!org || !actor || !hasTables(org)) return;
  const { record, lastUntil } = call.services.refusals.add(`${org.id} ${actor.id}`);
  if (!record) return;
  const { method, path } = call.c.req;
  const { route } = call.c.get('request');
  const changes = newValues({ error: error.key, not_recorded_until: lastUntil });
  const target = { type: 'endpoint', id: `${method} ${route}`, name: path } as const;
  await append(call.sql, call, 'access.refused', { org, target, changes, actor }).catch((cause) =>
    call.log.error('a refused call is missing in the audit log', { error: cause }),
  );
}

const memberOf = ({ actor, token }: AnyCall): CallActor | undefined =>
  actor ?? (token && { type: 'token', id: token.id, name: token.name });

const actorOf = (call: AnyCall): CallActor | undefined =>
  memberOf(call) ?? (call.user && { type: 'user', id: call.user.id, name: call.user.name });

/** Writes an entry as the last statement of a transaction, for endpoints that change something by GET. */
export async function append(
  client: Parameters<typeof appendEntry>[0],
  call: AnyCall,
  action: AuditAction,
  entry: Audited,
): Promise<void> {
  const { c, peer, services } = call;
  const org = entry.org ?? call.org;
  const actor = entry.actor ?? actorOf(call);
  if (!org || !actor) throw new Error(`the entry of ${action} has no organization or actor`);
  const { id = '', name = '', type } = entry.target;
  await appendEntry(client, org.tables, {
    ...services.nextId(),
    action,
    actor,
    target: { type, id, name },
    changes: entry.changes ?? {},
    ip: peer.ip,
    userAgent: c.req.header('user-agent') ?? '',
    requestId: c.get('request').requestId,
  });
}
