import { eraseInOrg } from '../../../db/accounts/erase-in-org.ts';
import {
  currentOrgs,
  type Erasure,
  endPass,
  eraseAddresses,
  LEASE_MS,
  nextOrgs,
  releaseErasures,
  renewErasures,
  START_OF_PASS,
  takeErasures,
  type Wanted,
} from '../../../db/accounts/erasure.ts';
import type { Database } from '../../../db/client.ts';
import { isUnavailable, isWorkerDown } from '../../../db/errors.ts';
import type { NewId } from '../../../db/ids.ts';
import type { Migration } from '../../../db/migrations/migrate.ts';
import type { SecretBox } from '../../crypto/secret-box.ts';
import { withoutMention } from '../../findings/triage/mentions.ts';
import type { Logger } from '../../logger.ts';
import { eraseDigestsOf, eraseQueuedTo } from '../../mail/queued-to.ts';
import type { KnownOrgs } from '../../orgs/directory.ts';
import { revokesTokensOfFormerMembers } from '../../tokens/creators.ts';

export interface EraseServices {
  clock: () => Date;
  database: Database;
  knownOrgs: KnownOrgs;
  log: Logger;
  mailBox: SecretBox;
  nextId: () => NewId;
  orgMigrations: readonly Migration[];
}

/** After this time, the next accounts get a turn. */
const TURN_MS = LEASE_MS / 6;
/** How long a deletion waits for the account to be erased everywhere. */
const IN_REQUEST_MS = 1_000;
const RETRY_MS = 60_000;
/** A process that dies repeats as much. */
const RENEW_MS = LEASE_MS / 12;
const ORGS = 100;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Erases deleted accounts in turns: in their own organizations first, then in all others, which is one pass for all that wait for
 * it. Half of the time is left to others.
 */
export async function eraseAccounts(services: EraseServices): Promise<void> {
  while ((await takeNext(services, 'deleted')) || (await takeNext(services, 'in a pass'))) {
    // A stream of deleted accounts does not keep those in a pass waiting.
    await takeNext(services, 'in a pass');
  }
}

/** @returns whether there was an account */
async function takeNext(services: EraseServices, wanted: Exclude<Wanted, object>): Promise<boolean> {
  const { database, log } = services;
  const erasures = await takeErasures(database.sql, wanted);
  if (erasures.length === 0) return false;
  const turn = createTurn(services, erasures, { turnMs: TURN_MS, pauses: true });
  try {
    if (wanted === 'deleted') await eraseFirst(services, erasures, turn);
    else if (await pass(services, erasures, turn)) return true;
    await releaseErasures(database.sql, erasures);
  } catch (error) {
    log.error('deleted accounts are not erased yet', { accounts: erasures.length, error });
    await releaseErasures(database.sql, erasures, RETRY_MS);
  }
  return true;
}

/** Erases an account that was just deleted, as far as the time allows. Never rejects. @returns whether a pass is complete */
export async function eraseNow(
  services: EraseServices,
  userId: string,
  turnMs = IN_REQUEST_MS,
): Promise<boolean> {
  const { sql } = services.database;
  try {
    const erasures = await takeErasures(sql, { userId });
    const turn = createTurn(services, erasures, { turnMs, pauses: false });
    for (const erasure of erasures) {
      await eraseFirst(services, erasures, turn);
      if (erasure.doneOrgId !== null && (await pass(services, erasures, turn))) return true;
      // The pass of others does not go back for this account.
      if (erasure.doneOrgId !== null) erasure.doneOrgId = START_OF_PASS;
      await releaseErasures(sql, erasures);
    }
  } catch (error) {
    services.log.warn('a deleted account is left to the periodic task', { account: userId, error });
  }
  return false;
}

/**
 * A turn of the periodic task ends between two organizations, because each is begun anew; a request does not wait for a large one.
 */
function createTurn(
  services: EraseServices,
  erasures: readonly Erasure[],
  { turnMs, pauses }: { turnMs: number; pauses: boolean },
) {
  const { clock, database, knownOrgs, log, nextId } = services;
  const end = performance.now() + turnMs;
  let renewed = performance.now();
  let start = renewed;
  const isOver = () => performance.now() > end;
  const rest = async () => {
    const now = performance.now();
    if (now - renewed > RENEW_MS) {
      await renewErasures(database.sql, erasures);
      renewed = now;
    }
    if (pauses) await sleep(Math.min(now - start, 1_000));
    start = performance.now();
  };
  return {
    isOver,
    rest,
    /** @returns whether nothing is left of these accounts; otherwise the time is over */
    async eraseIn(orgId: string, accounts: readonly Erasure[]): Promise<boolean> {
      const userIds = idsOf(accounts);
      try {
        const revokesTokens = await revokesTokensOfFormerMembers(database.db, orgId);
        const options = { userIds, now: clock(), nextId: () => nextId().id, revokesTokens, withoutMention };
        for await (const _ of eraseInOrg(database.sql, knownOrgs.tablesOf({ id: orgId }), options)) {
          await rest();
          if (!pauses && isOver()) return false;
        }
      } catch (error) {
        if (isUnavailable(error) && !isWorkerDown(error)) throw error;
        // The others do not wait for this organization, and this pass is not the last one.
        log.error('an organization keeps deleted accounts', { org: orgId, accounts: userIds.length, error });
        for (const account of accounts) account.passes = 0;
      }
      await rest();
      return true;
    },
  };
}

type Turn = ReturnType<typeof createTurn>;

/**
 * Erases accounts in the mail queue and in the organizations that they were members of. Notes the progress in `erasures`: at the
 * end they wait for a pass.
 */
async function eraseFirst(
  { database: { sql, db }, mailBox, orgMigrations }: EraseServices,
  erasures: readonly Erasure[],
  { eraseIn, isOver, rest }: Turn,
): Promise<void> {
  const begun = erasures.filter(({ doneOrgId }) => doneOrgId === null);
  // Once for all of them, because it opens every mail. If two accounts had an address, the later one counts.
  const before = new Map(
    begun
      .toSorted((a, b) => a.deletedAt.getTime() - b.deletedAt.getTime())
      .flatMap(({ emails, deletedAt }) => emails.map((email): [string, Date] => [email, deletedAt])),
  );
  await eraseQueuedTo({ db, box: mailBox }, before);
  await eraseDigestsOf(
    db,
    begun.map(({ userId }) => userId),
  );
  for (const erasure of begun) {
    await eraseAddresses(sql, erasure);
    await rest();
  }
  const ids = [...new Set(begun.flatMap(({ firstOrgIds }) => firstOrgIds))];
  for (const id of await currentOrgs(sql, ids, orgMigrations.length)) {
    const members = begun.filter(({ firstOrgIds }) => firstOrgIds.includes(id));
    if (!(await eraseIn(id, members))) return;
    for (const member of members) member.firstOrgIds = member.firstOrgIds.filter((one) => one !== id);
    if (isOver()) return;
  }
  for (const erasure of begun) erasure.doneOrgId = START_OF_PASS;
}

const idsOf = (erasures: readonly Erasure[]) => erasures.map(({ userId }) => userId);

/**
 * Goes on with a pass through all organizations, of which the accounts may have been members. It begins where the first of them is.
 * @returns whether the pass is complete
 */
async function pass(
  { database: { sql }, log, orgMigrations }: EraseServices,
  erasures: readonly Erasure[],
  { eraseIn, isOver }: Turn,
): Promise<boolean> {
  const version = orgMigrations.length;
  const positions = erasures.map(({ doneOrgId }) => doneOrgId ?? START_OF_PASS);
  for (let position = positions.sort()[0] ?? START_OF_PASS; ; ) {
    const orgs = await nextOrgs(sql, position, version, ORGS);
    for (const { id } of orgs) {
      const behind = erasures.filter(({ doneOrgId }) => doneOrgId === null || doneOrgId < id);
      if (!(await eraseIn(id, behind))) return false;
      position = id;
      for (const erasure of behind) erasure.doneOrgId = id;
      if (isOver()) return false;
    }
    if (orgs.length < ORGS) break;
  }
  // With the passes that do not count.
  await renewErasures(sql, erasures);
  await endPass(sql, idsOf(erasures), version);
  for (const { userId, passes } of erasures)
    log.info('a deleted account was erased', { account: userId, pass: passes + 1 });
  return true;
}
