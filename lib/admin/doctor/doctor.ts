import type { Context } from '../commands/choose.ts';
import { AdminError } from '../error.ts';
import { attempt, type Check, type CheckStatus, checksOf } from './checks.ts';
import { CITUS_DOCS, checkCitus } from './citus.ts';
import { checkConfiguration, checkLimits } from './configuration.ts';
import { checkDatabase, checkEmptyTables, checkSchemas, DATABASE_DOCS } from './database.ts';
import { checkKeys, KEY_DOCS } from './keys.ts';
import { checkDelivery, checkProvider, checkQueue, MAIL_DOCS } from './mail.ts';
import { checkPublicAddress, TLS_DOCS } from './public-address.ts';
import { checkReplica, REPLICA_DOCS } from './replica.ts';

export interface Diagnosis {
  checks: Check[];
  counts: Record<CheckStatus, number>;
}

/**
 * Checks a deployment from the machine and with the configuration of a server. Changes nothing.
 * @param mail receives a test mail
 */
export async function diagnose(context: Context, mail?: string): Promise<Diagnosis> {
  const { config } = context;
  const parts = await Promise.all([
    checkConfiguration(config),
    checkLimits(config),
    attempt('TLS', TLS_DOCS, () => checkPublicAddress(config)),
    attempt('mail', MAIL_DOCS, async () => [await checkProvider(config)]),
    mail === undefined ? [] : attempt('mail', MAIL_DOCS, async () => [await checkDelivery(config, mail)]),
    checkStored(context),
  ]);
  const checks = parts.flat();
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  return {
    checks,
    counts: {
      ok: count('ok'),
      warning: count('warning'),
      failed: count('failed'),
      skipped: count('skipped'),
    },
  };
}

/** Everything that needs the database. */
async function checkStored({ config, tracks, connect }: Context): Promise<Check[]> {
  const database = await connect(false).catch((error) => {
    if (error instanceof AdminError) return error;
    throw error;
  });
  if (database instanceof AdminError) return [checksOf('database', DATABASE_DOCS).failed(database.message)];
  const server = await attempt('database', DATABASE_DOCS, () => checkDatabase(database, config));
  const replica = await attempt('replica', REPLICA_DOCS, () => checkReplica(database, config));
  const citus = await attempt('Citus', CITUS_DOCS, () => checkCitus(database));
  const schemas = await attempt('schemas', DATABASE_DOCS, () => checkSchemas(database, tracks));
  // Without its tables there is nothing else to check.
  if (schemas.some(({ status }) => status === 'failed')) return [...server, ...replica, ...citus, ...schemas];
  return [
    ...server,
    ...replica,
    ...citus,
    ...schemas,
    ...(await attempt('schemas', DATABASE_DOCS, () => checkEmptyTables(database))),
    ...(await attempt('keys', KEY_DOCS, () => checkKeys(database, config))),
    ...(await attempt('mail', MAIL_DOCS, async () => [await checkQueue(database)])),
  ];
}
