import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { sessionQuery } from '../app/session.ts';

/** Reads the data of the user again after a change. */
export function useRefreshUser(): () => Promise<void> {
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
