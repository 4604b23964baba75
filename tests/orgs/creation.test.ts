import type { SQL } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Tx } from '../../db/client.ts';
import { isUnavailable, isWorkerDown } from '../../db/errors.ts';
import { createEngineDetection, type Engine } from '../../db/server-facts.ts';
import { toQuery } from '../../db/statements.ts';
import { createInTransaction } from '../../lib/orgs/creation.ts';
import type { Services } from '../../lib/services.ts';
import { silentLog } from '../support/server/log.ts';

/* The transaction that creates an organization; tests/citus has it on a cluster. */

const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code });
const LOST = failure('XX000', 'failure on connection marked as essential: 10.0.0.2:5432');

/** Runs a transaction that fails as often as there are failures. @returns what each attempt sent, and its outcome */
async function create(engine: Engine, ...failures: Error[]) {
  const attempts: string[][] = [];
  const transaction = async (run: (tx: Tx) => Promise<unknown>) => {
    const sent: string[] = [];
    attempts.push(sent);
    const execute = async (statement: SQL) => {
      sent.push(toQuery(statement).sql.trim());
      return [];
    };
    return await run({ execute } as unknown as Tx);
  };
  const services = {
    database: { db: { transaction } },
    engineOf: createEngineDetection(engine),
    log: silentLog,
  };
  const work = async () => {
    const error = failures.shift();
    if (error) throw error;
    return 'created';
  };
  const outcome = await createInTransaction(services as unknown as Services, work).catch((error) => error);
  return { attempts, outcome };
}

const SPREAD = [expect.stringContaining('pg_dist_colocationid_seq')];
const LOCAL = [
  'set local citus.enable_schema_based_sharding = off',
  'set local citus.enable_ddl_propagation = off',
];

it('is just that on PostgreSQL', async () => {
  expect(await create('postgres')).toEqual({ attempts: [[]], outcome: 'created' });
  const error = failure('08006');
  expect(await create('postgres', error)).toEqual({ attempts: [[]], outcome: error });
});

it('spreads organizations over the workers of Citus, and is repeated when one was moved', async () => {
  expect(await create('citus')).toEqual({ attempts: [SPREAD], outcome: 'created' });
  const lost = [failure('CIINF'), failure('40001'), failure('40P01')];
  expect(await create('citus', ...lost)).toEqual({
    ...{ attempts: [SPREAD, SPREAD, SPREAD, SPREAD], outcome: 'created' },
  });
});

it.each([failure('08006'), LOST])('is on the coordinator while a worker is down: %s', async (error) => {
  expect(await create('citus', error)).toEqual({ attempts: [SPREAD, LOCAL], outcome: 'created' });
});

it('fails for any other reason', async () => {
  const error = failure('23505');
  expect(await create('citus', error)).toEqual({ attempts: [SPREAD], outcome: error });
  expect(await create('citus', failure('08006'), error)).toEqual({
    attempts: [SPREAD, LOCAL],
    outcome: error,
  });
});

it('a lost worker is an unavailable database, and another internal error is not', () => {
  const wrapped = new Error('query failed', { cause: LOST });
  expect([isWorkerDown(wrapped), isUnavailable(wrapped)]).toEqual([true, true]);
  expect(isUnavailable(failure('XX000', 'cache lookup failed'))).toBe(false);
  expect(isWorkerDown(failure('CONNECTION_CLOSED'))).toBe(false);
});
