import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from './errors/Problem.tsx';
import { Waiting } from './Waiting.tsx';

interface Props<T> {
  query: UseQueryResult<T>;
  /** Shown while the query loads. The default is a loader. */
  waiting?: ReactNode;
  /** Shown in place of an empty list. */
  empty?: ReactNode;
  children: (data: T) => ReactNode;
}

/** Shows the data of a query, a loader, or an error. Data that is already there stays. */
export function Loaded<T>({ query, waiting = <Waiting />, empty, children }: Props<T>) {
  const { data, error, refetch } = query;
  if (empty && Array.isArray(data) && data.length === 0) return empty;
  if (data !== undefined) return children(data);
  if (error) return <Problem error={error} onRetry={refetch} />;
  return waiting;
}
