import type { Org } from '../../orgs/directory.ts';
import type { PublicCall, RequestContext } from '../call.ts';
import { hostName } from '../origin.ts';

export const requestOf = ({ c }: PublicCall): RequestContext => c.get('request');

export const findOrg = ({ c, services }: PublicCall): Promise<Org> =>
  services.orgs.resolve(hostName(c.req.header('host')), c.req.header('x-org-slug'));

/**
 * Looks up who calls, then takes a place in the organization's share: what `lookUp` refuses takes none, so that strangers
 * cannot fill the share. Look-ups of an organization are grouped, one statement at a time. A caller that had to wait for a
 * place is looked up again, because the token, session or role may have been revoked meanwhile.
 */
export async function admitToShare<T>(base: PublicCall, org: Org, lookUp: () => Promise<T>): Promise<T> {
  const { services } = base;
  const caller = await lookUp();
  // From here on the call and its queries come out of the organization's share.
  const { db, sql } = services.database.of(org);
  base.db = db;
  base.sql = sql;
  const place = services.gate.enter(org.id);
  if (typeof place === 'function') {
    base.stepAside = place;
    return caller;
  }
  base.stepAside = await place;
  return lookUp();
}
