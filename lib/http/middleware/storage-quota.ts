import type { InOrgCall } from '../call.ts';
import { middleware } from './middleware.ts';

/**
 * Refuses a request that adds data to an organization above a storage quota, and notes writes. Deletions are never refused. Runs
 * after the access checks and the input.
 */
export const storageQuota = middleware<InOrgCall>([], async function storageQuota(c, next) {
  const { org, services } = c.get('call');
  const { method } = c.req;
  try {
    if (method !== 'DELETE') services.storage.require(org, method === 'POST');
    await next();
  } finally {
    services.storage.written(org);
  }
});
