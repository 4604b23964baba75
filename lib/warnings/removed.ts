import type { Logger } from '../logger.ts';

/** Warns about variables of earlier versions that no longer have an effect. */
export function warnOfRemoved(env: Record<string, string | undefined>, log: Pick<Logger, 'warn'>): void {
  if (Number(env.SVC_WORKERS) > 1) {
    log.warn(
      'SVC_WORKERS is no longer supported: this server runs as one process. For more processes, start several servers ' +
        'behind a load balancer (docs/scaling.md#several-processes-on-one-machine)',
    );
  }
}
