import { ApiError } from '../errors.ts';
import type { Org } from '../orgs/directory.ts';

/** Open streams in one process: of an organization, of all organizations of an account, and of one credential. */
export const MAX_STREAMS = { ofOrg: 100, ofAccount: 200, ofCredential: 10 } as const;

/** Seconds after which a stream may have ended. */
const RETRY_AFTER_S = 60;

/** Counts the open streams of a process. */
export interface OpenStreams {
  /**
   * Counts a stream.
   * @returns a function to call when it ends
   * @throws ApiError `rate_limit_error/exceeded`
   */
  enter(org: Pick<Org, 'id' | 'account'>, credential: string): () => void;
}

export function createOpenStreams(): OpenStreams {
  const open = new Map<string, number>();
  const add = (key: string, change: 1 | -1) => {
    const left = (open.get(key) ?? 0) + change;
    if (left > 0) open.set(key, left);
    else open.delete(key);
  };
  const require = (key: string, max: number, owner: string) => {
    if ((open.get(key) ?? 0) < max) return;
    throw new ApiError('rate_limit_error/exceeded', {
      message: `${owner} has ${max} open streams of events.`,
      retryAfter: RETRY_AFTER_S,
      limit: { limit: 'event_streams', max },
    });
  };
  return {
    enter({ id, account }, credential) {
      const [ofAccount, ofCredential] = [`account ${account ?? id}`, `${id} ${credential}`];
      const keys = [id, ofAccount, ofCredential];
      require(ofCredential, MAX_STREAMS.ofCredential, 'This user or token');
      require(id, MAX_STREAMS.ofOrg, 'This organization');
      require(ofAccount, MAX_STREAMS.ofAccount, 'The account of this organization');
      for (const key of keys) add(key, 1);
      let isOpen = true;
      return () => {
        if (isOpen) for (const key of keys) add(key, -1);
        isOpen = false;
      };
    },
  };
}
