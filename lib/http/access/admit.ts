import type { PublicCall } from '../call.ts';
import { ApiError } from '../errors.ts';
import { hostName, isAllowedOrigin, isOwnOrigin } from '../origin.ts';
import { type Access, type Admitted, SAFE_METHODS } from './access.ts';
import { admitAgent } from './agent.ts';
import { admitMember } from './member.ts';
import { admitUser } from './user.ts';

/**
 * Lets a request in or throws. Checks run in one order: session (401), verified address (403, with `requireVerifiedEmail`),
 * fresh sign-in (403, `freshCookie`), organization (404), membership (403), `require_mfa` (403), role (403). For agents:
 * token format (401), organization (404), token (401).
 */
export async function admit(access: Access, base: PublicCall): Promise<Admitted<PublicCall>> {
  if (access.kind === 'bearer') return admitAgent(base);
  refuseForeignOrigin(base);
  switch (access.kind) {
    case 'public':
      return { call: base };
    case 'baseDomainOnly':
      requireBaseDomain(base);
      return { call: base };
    case 'cookie':
      return { call: await admitUser(base, access) };
    case 'cookieOrg':
      return { call: await admitMember(base, access.role) };
  }
}

/** Cookies go along with requests that other sites cause: those may not change anything. */
function refuseForeignOrigin({ c, services, peer }: PublicCall): void {
  if (SAFE_METHODS.has(c.req.method)) return;
  const origin = c.req.header('origin');
  if (
    origin === undefined ||
    isOwnOrigin(origin, c.req.header('host'), services.config, peer.secure) ||
    isAllowedOrigin(origin, services.config, peer.secure)
  ) {
    return;
  }
  throw new ApiError('permission_error/denied', { message: 'Requests from this origin are not allowed.' });
}

function requireBaseDomain({ c, services }: PublicCall): void {
  const { baseDomain } = services.config;
  if (baseDomain && hostName(c.req.header('host')) !== baseDomain)
    throw new ApiError('auth_error/base_domain_only');
}
