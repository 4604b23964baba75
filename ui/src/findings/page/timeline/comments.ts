import { useQueryClient } from '@tanstack/react-query';
import { useOrg } from '../../../app/session.ts';
import { findingKey } from '../../finding-queries.ts';

/** The limit of the API. */
export const MAX_COMMENT = 10_000;

/** Reads the activity of a finding again. */
export function useRefreshActivity(findingId: string): () => Promise<void> {
  const org = useOrg();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [...findingKey(org, findingId), 'activity'] });
}
