import { withOwnTables } from '../../orgs/tables.ts';
import type { InOrgCall } from '../call.ts';
import { middleware } from './middleware.ts';

/**
 * Creates the tables of an organization before its first write. Runs after the access checks and the input, so that neither
 * strangers nor malformed requests create them.
 */
export const ownTables = middleware<InOrgCall>([], async function ownTables(c, next) {
  const call = c.get('call');
  call.org = await withOwnTables(call.services, call.org);
  await next();
});
