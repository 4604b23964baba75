import type { ReadRoute } from '../../db/replica/reads.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from './metrics.ts';

/** Counts where reads are answered, and logs those that failed on the replica. */
export const routesNoted =
  (metrics: Pick<Metrics, 'readRouted'>, log: Logger) =>
  (route: ReadRoute, error?: unknown): void => {
    metrics.readRouted(route);
    if (route === 'failed')
      log.warn('a read that failed on the replica is repeated on the primary', { error });
  };
