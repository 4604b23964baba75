import { eraseInOrg } from '../../../db/accounts/erase-in-org.ts';
import {
  currentOrgs,
  type Erasure,
  endPass,
  eraseAddresses,
  LEASE_MS,
  nextOrgs,
  releaseErasure,
  renewErasure,
  takeErasure,
} from '../../../db/accounts/erasure.ts';
import { withoutMention } from '../../findings/triage/mentions.ts';
import { eraseQueuedTo } from '../../mail/queued-to.ts';
import type { Services } from '../../services.ts';

export type EraseServices = Pick<
  Services,
  'clock' | 'database' | 'knownOrgs' | 'log' | 'mailBox' | 'nextId' | 'orgMigrations'
>;

/** After this time, the next deleted account gets a turn. */
const TURN_MS = LEASE_MS / 6;
/** How long a deletion waits for the account to be erased everywhere. */
const IN_REQUEST_MS = 1_000;
const RETRY_MS = 60_000;
/** A process that dies repeats as much. */
const RENEW_MS = LEASE_MS / 12;
const ORGS = 100;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Erases deleted accounts, one after another in turns. Half of the time is left to others. */
export async function eraseAccounts(services: EraseServices): Promise<void> {
  const { database, log } = services;
  for (;;) {
    const erasure = await takeErasure(database.sql);
    if (!erasure) return;
    await takeTurn(services, erasure, { turnMs: TURN_MS, pauses: true }).catch(async (error) => {
      log.error('a deleted account is not erased yet', { account: erasure.userId, error });
      await releaseErasure(database.sql, erasure, RETRY_MS);
    });
  }
}

/** Erases an account that was just deleted, as far as the time allows. Never rejects. @returns whether a pass is complete */
export async function eraseNow(
  services: EraseServices,
  userId: string,
  turnMs = IN_REQUEST_MS,
): Promise<boolean> {
  try {
    const erasure = await takeErasure(services.database.sql, userId);
    if (erasure) return await takeTurn(services, erasure, { turnMs, pauses: false });
  } catch (error) {
    services.log.warn('a deleted account is left to the periodic task', { account: userId, error });
  }
  return false;
}

/**
 * Goes on with a pass: the mail queue and the organizations of the account first, then all others, of which it may have been a
 * member. A turn of the periodic task ends between two organizations, because each is begun anew; a request does not wait for a
 * large one.
 * @returns whether the pass is complete
 */
async function takeTurn(
  services: EraseServices,
  erasure: Erasure,
  { turnMs, pauses }: { turnMs: number; pauses: boolean },
): Promise<boolean> {
  const { clock, database, knownOrgs, log, mailBox, nextId, orgMigrations } = services;
  const { sql, db } = database;
  const { userId, emails, deletedAt } = erasure;
  const version = orgMigrations.length;
  // What follows notes its progress there, for the caller too.
  const progress = erasure;
  const end = performance.now() + turnMs;
  let renewed = performance.now();
  let start = renewed;
  const rest = async () => {
    const now = performance.now();
    if (now - renewed > RENEW_MS) {
      await renewErasure(sql, progress);
      renewed = now;
    }
    if (pauses) await sleep(Math.min(now - start, 1_000));
    start = performance.now();
  };
  const release = async () => {
    await releaseErasure(sql, progress);
    return false;
  };
  /** @returns whether nothing is left; otherwise the time is over */
  const eraseIn = async (id: string): Promise<boolean> => {
    const options = {
      ...{ userId, now: clock(), nextId: () => nextId().id },
      withoutMention: (text: string) => withoutMention(text, userId),
    };
    for await (const _ of eraseInOrg(sql, knownOrgs.tablesOf({ id }), options)) {
      await rest();
      if (!pauses && performance.now() > end) return false;
    }
    await rest();
    return true;
  };

  if (progress.doneOrgId === null) {
    await eraseQueuedTo({ db, box: mailBox }, emails, deletedAt);
    await eraseAddresses(sql, erasure);
    for (const id of await currentOrgs(sql, erasure.firstOrgIds, version)) {
      if (!(await eraseIn(id))) return await release();
      progress.firstOrgIds = progress.firstOrgIds.filter((one) => one !== id);
      if (performance.now() > end) return await release();
    }
  }
  for (;;) {
    const orgs = await nextOrgs(sql, progress.doneOrgId, version, ORGS);
    for (const { id } of orgs) {
      if (!(await eraseIn(id))) return await release();
      progress.doneOrgId = id;
      if (performance.now() > end) return await release();
    }
    if (orgs.length < ORGS) break;
  }
  await endPass(sql, userId, version);
  log.info('a deleted account was erased', { account: userId, pass: erasure.passes + 1 });
  return true;
}
