import { queryOptions } from '@tanstack/react-query';
import { api } from '../../app/api.ts';

/** The personal access tokens of the user, newest first. */
export const personalTokensQuery = queryOptions({
  queryKey: ['profile', 'tokens'],
  queryFn: async ({ signal }) => (await api.get('/profile/tokens', { signal })).result.tokens,
});
