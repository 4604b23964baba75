import { claimName, prepareDirectory } from '../../db/cells/names.ts';
import { openDatabase } from '../../db/client.ts';
import { isMissingTable } from '../../db/errors.ts';
import type { Config } from '../config/config.ts';
import { noClaims, type SlugClaims } from '../orgs/claims.ts';

const TIMEOUT_MS = 3_000;

/**
 * Takes slugs in the directory of cells. If it does not answer, nobody gets a new slug, and nothing else fails. A claim whose
 * organization was not created after all is removed by `cells sync`.
 */
export function createSlugClaims({ cell, cellsUrl }: Pick<Config, 'cell' | 'cellsUrl'>): SlugClaims {
  if (cell === undefined || cellsUrl === undefined) return noClaims;
  const directory = openDatabase({
    ...{ url: cellsUrl, max: 2, applicationName: 'svc-findings-cells' },
    ...{ statementMs: TIMEOUT_MS, acquireTimeoutMs: TIMEOUT_MS },
  });
  return {
    async claim(name, orgId) {
      const claim = () => claimName(directory.sql, cell, { name, orgId });
      return await claim().catch(async (error) => {
        if (!isMissingTable(error)) throw error;
        await prepareDirectory(directory.sql);
        return await claim();
      });
    },
    close: () => directory.close(),
  };
}
