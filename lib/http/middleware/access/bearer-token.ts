import { refusesWrites } from '../../../../db/errors.ts';
import { logSecurityEvent } from '../../../security-events.ts';
import { parseBearer } from '../../../tokens/api-tokens.ts';
import type { AgentCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** Requires an `Authorization` header with a well-formed API token (401). Runs before any lookup. */
export const bearerFormat = middleware<AgentCall>(
  ['auth_error/not_authenticated', 'token_error/invalid_format'],
  function bearerFormat(c, next) {
    c.get('call').bearer = parseBearer(c.req.header('authorization'));
    return next();
  },
);

/** Requires a valid API token of the organization (401). */
export const bearerToken = middleware<AgentCall>(
  ['token_error/invalid', 'token_error/expired'],
  async function bearerToken(c, next) {
    const call = c.get('call');
    call.token = await call.services.apiTokens.check(call.org, call.bearer);
    c.get('request').token = call.token.id;
    await next();
  },
);

/** Sets the token's `last_used` after the handler, unless the handler's own statement has set it. */
export const tokenUse = middleware<AgentCall>([], async function tokenUse(c, next) {
  const call = c.get('call');
  let touched = false;
  call.tokenTouched = () => {
    touched = true;
  };
  if (call.token.unused) await logFirstUse(call);
  try {
    await next();
  } finally {
    if (!touched) await ignoreFailure(call, call.services.apiTokens.touch(call.org, call.token.id));
  }
});

/** Writes the first use of a token to the security log. Only one of several concurrent requests writes it. */
async function logFirstUse(call: AgentCall): Promise<void> {
  const { org, services, token } = call;
  if (await ignoreFailure(call, services.apiTokens.claimFirstUse(org, token.id)))
    logSecurityEvent(call, 'token_first_used', { project: token.projectId ?? undefined });
}

/** Logs the failure of a write that must not fail the request. @returns its result; undefined when it failed */
async function ignoreFailure<T>({ log }: AgentCall, write: Promise<T>): Promise<T | undefined> {
  return write.catch((error) => {
    log[refusesWrites(error) ? 'debug' : 'warn']('last_used was not set', { error });
    return undefined;
  });
}
