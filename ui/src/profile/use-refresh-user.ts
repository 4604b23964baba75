import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery } from '../app/session.ts';

/** Reads anew what is shown of the user, after it was changed. */
export function useRenew(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['profile'] }),
      queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    ]);
    await router.invalidate();
  };
}
