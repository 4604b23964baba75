import { reasonOf } from '../error.ts';

export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** The result of one check. */
export interface Check {
  /** Part of the service, such as `mail`. */
  area: string;
  status: CheckStatus;
  /** One line. */
  message: string;
  /** A page of the documentation, relative to the package, on how to fix a warning or failure. */
  see?: string;
}

/** Makes the checks of one area. */
export const checksOf = (area: string, see: string) => ({
  ok: (message: string): Check => ({ area, status: 'ok', message }),
  skipped: (message: string): Check => ({ area, status: 'skipped', message }),
  warning: (message: string, page = see): Check => ({ area, status: 'warning', message, see: page }),
  failed: (message: string, page = see): Check => ({ area, status: 'failed', message, see: page }),
});

/** Runs the checks of an area. A check that throws counts as failed. */
export async function attempt(area: string, see: string, run: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await run();
  } catch (error) {
    return [checksOf(area, see).failed(reasonOf(error))];
  }
}
