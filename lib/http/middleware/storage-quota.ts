import type { InOrgCall } from '../call.ts';
import { middleware } from './middleware.ts';

/** The effect of a request on what the organization stores. */
export type StorageEffect = 'adds' | 'changes' | 'removes';

const EFFECTS: { [method: string]: StorageEffect } = { POST: 'adds', DELETE: 'removes' };

/**
 * Refuses a request that adds data to an organization above a storage quota, and notes writes. Removals are never refused. Runs
 * after the access checks and the input.
 */
export const storageQuota = (method: string, effect = EFFECTS[method]) =>
  middleware<InOrgCall>([], async function storageQuota(c, next) {
    const { org, services } = c.get('call');
    try {
      if (effect !== 'removes') services.storage.require(org, effect === 'adds');
      await next();
    } finally {
      services.storage.written(org);
    }
  });
