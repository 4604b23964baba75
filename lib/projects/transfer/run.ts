import { sql } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import { sqlState } from '../../../db/errors.ts';
import type { Migration } from '../../../db/migrations/migrate.ts';
import type { Sql } from '../../../db/pool/query.ts';
import type { Sharer } from '../../../db/pool/semaphore.ts';
import { removeMarks } from '../../../db/projects/transfer/marks.ts';
import { moveProject } from '../../../db/projects/transfer/move.ts';
import {
  cancelTransfer,
  readTransfers,
  releaseTransfer,
  renewTransfer,
  type Taken,
  TransferOver,
  takeTransfer,
} from '../../../db/projects/transfer/transfers.ts';
import { userEmails } from '../../../db/schema/accounts.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { arrayText, run, type SqlClient } from '../../../db/statements.ts';
import type { Config } from '../../config/config.ts';
import type { Logger } from '../../logger.ts';
import { hasAccess } from '../../members/fields.ts';
import type { KnownOrgs } from '../../orgs/directory.ts';
import { logOperatorEvent } from '../../security-events.ts';

interface TransferServices {
  clock: () => Date;
  config: Pick<Config, 'pendingInvitations'>;
  database: Database;
  knownOrgs: KnownOrgs;
  log: Logger;
  orgMigrations: readonly Migration[];
}

/** How long a request works on its transfer. Most take a tenth of a second. */
const IN_REQUEST_MS = 5_000;
/** Projects with more findings are left to it from the start: what a request has copied in its time would be undone. */
const IN_REQUEST_FINDINGS = 1_000;
const RENEW_MS = 1_000;
const RETRY_MS = 60_000;
/** Then a failure ends the transfer: the project would take no pushes for ever, and nobody could delete the target. */
const MAX_ATTEMPTS = 10;
const MAX_ERROR = 200;

class OutOfTime extends Error {}

/** Moves projects, one after another. */
export async function transferProjects(services: TransferServices): Promise<void> {
  const { database, log, orgMigrations } = services;
  for (;;) {
    const transfer = await takeTransfer(database.sql, orgMigrations.length);
    if (!transfer) return;
    // A connection of its own, because the transaction may take minutes.
    await database
      .unlimited((client) => work(services, client, transfer))
      .catch(async (error) => {
        log.error('a project is not transferred yet', { project: transfer.projectId, error });
        if (transfer.attempts >= MAX_ATTEMPTS) await giveUp(services, transfer);
        const reason = String(sqlState(error) ?? error).slice(0, MAX_ERROR);
        await releaseTransfer(database.sql, transfer, { delayMs: RETRY_MS, error: reason });
      });
  }
}

/** Cancels a transfer that fails again and again. */
async function giveUp({ database, log }: TransferServices, transfer: Taken): Promise<void> {
  const { projectId, sourceId: from_org, targetId: to_org, attempts } = transfer;
  if (await cancelTransfer(database.sql, transfer))
    logOperatorEvent(log, 'project_transfer_cancelled', { project: projectId, from_org, to_org, attempts });
}

/**
 * Moves a project that a request transfers, or ends a transfer that it cancels, as far as the time of the request and the
 * organization's share of the connections allow. Never rejects.
 * @returns whether the transfer is over
 */
export async function transferInRequest(
  services: TransferServices,
  { org, projectId, findings = 0 }: { org: Sharer; projectId: string; findings?: number },
): Promise<boolean> {
  if (findings > IN_REQUEST_FINDINGS) return false;
  const client = services.database.of(org).sql;
  try {
    const transfer = await takeTransfer(client, services.orgMigrations.length, projectId);
    if (!transfer) return (await readTransfers(client, { projectId })).length === 0;
    const end = performance.now() + IN_REQUEST_MS;
    await work(services, client, transfer, end).catch(async (error) => {
      await releaseTransfer(client, transfer);
      throw error;
    });
    return true;
  } catch (error) {
    if (!(error instanceof OutOfTime))
      services.log.warn('a transfer is left to the periodic task', { project: projectId, error });
    return false;
  }
}

/** Moves a project whose transfer was taken, unless it is cancelled. */
async function work(services: TransferServices, client: Sql, transfer: Taken, end?: number): Promise<void> {
  const { clock, config, database, knownOrgs, log } = services;
  const source = knownOrgs.tablesOf({ id: transfer.sourceId });
  const target = knownOrgs.tablesOf({ id: transfer.targetId });
  const { projectId, sourceId: from_org, targetId: to_org } = transfer;
  const about = { project: projectId, from_org, to_org };
  const cancel = async () => {
    try {
      await removeMarks(client, transfer, { source, target });
      log.info('a cancelled transfer has ended', about);
    } catch (error) {
      if (!(error instanceof TransferOver)) throw error;
    }
  };
  if (transfer.cancelled) return await cancel();
  let renewed = performance.now();
  try {
    const moved = await moveProject(
      client,
      transfer,
      { source, target },
      {
        now: clock(),
        strangersAmong: (tx, userIds) => strangersAmong(tx, to_org, userIds, config),
        async onCopied(copied) {
          const now = performance.now();
          if (end !== undefined && now > end) throw new OutOfTime();
          if (now - renewed < RENEW_MS) return;
          if (!(await renewTransfer(database.sql, transfer, copied))) throw new TransferOver();
          renewed = now;
        },
      },
    );
    logOperatorEvent(log, 'project_transferred', { ...about, ...moved });
  } catch (error) {
    if (!(error instanceof TransferOver)) throw error;
    const [current] = await readTransfers(client, { projectId });
    if (current?.cancelled) await cancel();
  }
}

/** Users who are no members of an organization, or not yet. */
async function strangersAmong(
  tx: SqlClient,
  orgId: string,
  userIds: readonly string[],
  settings: Pick<Config, 'pendingInvitations'>,
): Promise<string[]> {
  const members = await run<{ id: string }>(
    tx,
    sql`select ${memberships.userId} as id from ${memberships}
      join ${userEmails} on ${userEmails.userId} = ${memberships.userId} and ${userEmails.isPrimary}
      where ${memberships.orgId} = ${orgId}::uuid and ${memberships.userId} = any (${arrayText(userIds)}::uuid[])
        and ${hasAccess(settings)}`,
  );
  const known = new Set(members.map(({ id }) => id));
  return userIds.filter((id) => !known.has(id));
}
