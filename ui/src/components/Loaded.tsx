import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './errors/Problem.tsx';
import { Waiting } from './Waiting.tsx';

interface Props<T> {
  query: UseQueryResult<T>;
  /** Shown while it loads; a loader when left out. */
  waiting?: ReactNode;
  children: (data: T) => ReactNode;
}

/** What a query brings; before that a loader, and the problem when it fails for good. What is there already stays. */
export function Loaded<T>({ query, waiting = <Waiting />, children }: Props<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (error) return <Problem error={error} onRetry={refetch} />;
  return waiting;
}
