import type { Next } from 'hono';
import { ApiError, type ErrorKey } from '../../../errors.ts';
import { findBearer } from '../../../tokens/format.ts';
import { roleOf } from '../../../tokens/scopes.ts';
import type { TokenCall } from '../../call.ts';
import { compose } from '../compose.ts';
import { type AnyMiddleware, middleware } from '../middleware.ts';
import { bearerToken } from './bearer-token.ts';
import { organization } from './organization.ts';

/** The access checks of an endpoint by the credential of the request. */
export interface ChecksByCredential {
  session: readonly AnyMiddleware[];
  personal: readonly AnyMiddleware[];
  /** Unset: tokens of organizations are refused, or on endpoints without an organization ignored. */
  organization?: readonly AnyMiddleware[] | 'refused';
}

const NEEDS_PERSON =
  'Only a session or a personal access token can do this: a token of an organization is no person.';

/**
 * Chooses the access checks. A token in the Authorization header is used, and the session cookie ignored. A token with the
 * scope `ingest` alone is for agents; here it counts for nothing, and the request needs a session.
 */
export function byCredential(checks: ChecksByCredential): AnyMiddleware & { checks: ChecksByCredential } {
  const ofSession = compose(checks.session);
  const ofPerson = compose(checks.personal);
  const rule = checks.organization;
  const ofOrganization = rule === undefined || rule === 'refused' ? undefined : compose(rule);
  const lookUp = compose([organization, bearerToken]);
  const all = [...checks.session, ...checks.personal, ...(ofOrganization ? (rule as AnyMiddleware[]) : [])];
  const ofTokens = rule ? [...organization.errors, ...bearerToken.errors] : [];
  const errors: ErrorKey[] = [
    'token_error/invalid_format',
    ...all.flatMap((one) => one.errors),
    ...ofTokens,
    ...(rule === 'refused' ? (['token_error/scope_mismatch'] as const) : []),
  ];

  const choose = middleware<TokenCall>([...new Set(errors)], async function byCredential(c, next: Next) {
    const bearer = findBearer(c.req.header('authorization'));
    const call = c.get('call');
    if (bearer) call.bearer = bearer.text;
    if (bearer?.kind === 'personal') return ofPerson(c, next);
    if (!bearer || !rule) return ofSession(c, next);
    await lookUp(c, async () => {});
    if (!roleOf(call.token.scopes)) {
      delete c.get('request').token;
      call.onlySends = true;
      return ofSession(c, next);
    }
    if (!ofOrganization) throw new ApiError('token_error/scope_mismatch', { message: NEEDS_PERSON });
    return ofOrganization(c, next);
  });
  return Object.assign(choose, { checks });
}
