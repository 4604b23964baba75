import type { Org } from '../../../orgs/directory.ts';
import type { InOrgCall, PublicCall } from '../../call.ts';
import { hostName } from '../../request/origin.ts';
import { middleware } from '../middleware.ts';

/** Finds the organization that the host or `X-Org-Slug` names (404). */
export const organization = middleware<InOrgCall>(
  ['tenant_error/not_found'],
  async function organization(c, next) {
    const call = c.get('call');
    call.org = await resolveOrg(call);
    c.get('request').org = call.org.slug;
    await next();
  },
);

/** The organization a request names; resolved once per request. */
export function resolveOrg(call: PublicCall): Promise<Org> {
  const { c, services } = call;
  call.namedOrg ??= services.orgs.resolve(hostName(c.req.header('host')), c.req.header('x-org-slug'));
  return call.namedOrg;
}
