import { claimName } from '../../db/cells/names.ts';
import { openDatabase } from '../../db/client.ts';
import { isLockTimeout } from '../../db/errors.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/parse.ts';
import { noClaims, type SlugClaims } from '../orgs/claims.ts';

const TIMEOUT_MS = 3_000;

/**
 * Takes slugs in the directory of cells. If it does not answer, nobody gets a new slug, and nothing else fails. A claim whose
 * organization was not created after all is removed by `cells sync`.
 */
export function createSlugClaims({ cell, cellsUrl }: Pick<Config, 'cell' | 'cellsUrl'>): SlugClaims {
  if (cellsUrl === undefined) return noClaims;
  if (cell === undefined) throw new ConfigError('SVC_CELLS_URL: needs SVC_CELL, the name of this cell');
  const directory = openDatabase({
    ...{ url: cellsUrl, max: 2, applicationName: 'svc-findings-cells' },
    ...{ statementMs: TIMEOUT_MS, acquireTimeoutMs: TIMEOUT_MS },
  });
  return {
    async claim(name, orgId) {
      try {
        return await claimName(directory.sql, cell, { name, orgId });
      } catch (error) {
        // Another cell takes it, and has not said so for half a second.
        if (isLockTimeout(error)) return false;
        throw Object.assign(new Error('the directory of cells cannot be used', { cause: error }), {
          code: 'DATABASE_DOWN',
        });
      }
    },
    close: () => directory.close(),
  };
}
