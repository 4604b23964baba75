import QuickLRU from 'quick-lru';
import type { Sql } from '../../db/pool/query.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { EngineDetection } from '../../db/server-facts.ts';
import { measureUsage, type OrgUsage, readUsage, type Usage, writeUsage } from '../../db/storage/usage.ts';
import type { StorageQuota } from '../config/config.ts';
import { storageBytes } from '../config/variables.ts';
import { ApiError, type FieldError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { StorageLimit } from '../metrics/reports.ts';
import type { Org } from '../orgs/directory.ts';

/** An account has this many times the quota of an organization for all that use it. */
const ORGS_PER_ACCOUNT = 2;
/** The first write after this time makes a process measure the organizations that were written to. */
const CHECK_MS = 10_000;
/** An organization below this part of its quota, and of that of its account, is measured less often. */
const LOW = 0.5;
const LOW_CHECK_S = 300;
/** Several large requests may be stored between two checks; `isAlmostFull` leaves room for them. */
const DISK_CHECK_MS = 1_000;
/** Changes of what is stored are refused later than additions. */
const CHANGES = 1.1;
/** Longer than agents wait. */
const RETRY_AFTER_S = 300;

/** Why writes are refused. */
interface Refusal {
  /** Use divided by the quota. */
  ratio: number;
  message: string;
  details: FieldError[];
  limit: { limit: StorageLimit; used?: number; max?: number };
}

/** The state of a process: plain data, which outlives the database it was read from. */
export type StorageState = ReturnType<typeof createStorageState>;

export const createStorageState = () => ({
  /** By organization and by account. */
  refusals: new QuickLRU<string, Refusal>({ maxSize: 10_000 }),
  /** Organizations with a quota of their own. */
  separate: new QuickLRU<string, true>({ maxSize: 10_000 }),
  written: new Set<string>(),
  /** Organizations that a request measured lately. */
  shown: new QuickLRU<string, true>({ maxSize: 10_000, maxAge: CHECK_MS }),
  diskRefusal: undefined as Refusal | undefined,
  diskCheckedAt: Number.NEGATIVE_INFINITY,
  checkedAt: Number.NEGATIVE_INFINITY,
});

export interface StorageQuotas {
  /**
   * Call it before a write, and {@link written} afterwards.
   * @param adds whether it adds data; other writes change what is stored
   * @throws ApiError `rate_limit_error/exceeded`
   */
  require(org: Org, adds: boolean): void;
  /** Notes a write. Measures in the background, at most every ten seconds. */
  written(org: { id: string }): void;
  /** Measures now all that was written to, however little it is. */
  check(): Promise<void>;
  /** The use of an organization. Measures it, at most every ten seconds. Undefined if it does not exist. */
  usageOf(orgId: string): Promise<OrgUsage | undefined>;
}

export interface Measuring {
  sql: Sql;
  engineOf: EngineDetection;
  tablesOf(org: { id: string }): OrgTables;
  quota: StorageQuota;
  log: Logger;
}

export interface StorageOptions extends Measuring {
  state: StorageState;
  onRefused(limit: StorageLimit): void;
  /** Whether the disk of the database is almost full. Unset: not known. */
  isDiskFull?: (() => Promise<boolean>) | undefined;
  background?: ((task: Promise<unknown>) => void) | undefined;
}

/**
 * Keeps organizations and accounts within their storage quotas. A process measures the organizations that it has written to, in the
 * background, and remembers those above a quota: a request costs a look-up in memory, and a quota is exceeded by what is written
 * between two measurements.
 */
export function createStorageQuotas(options: StorageOptions): StorageQuotas {
  const { sql, quota, state, log, onRefused, isDiskFull, background } = options;
  const { refusals, written } = state;
  let checking: Promise<void> | undefined;

  async function checkAll(lowCheckS: number): Promise<void> {
    const changed = new Set(written);
    written.clear();
    const usages = await readUsage(sql, [...changed]);
    const accounts = new Map<string, OrgUsage[]>();
    for (const org of usages) {
      // An organization with a quota of its own does not count against that of its account.
      if (org.account === null || isSeparate(org)) continue;
      const others = accounts.get(org.account);
      if (others) others.push(org);
      else accounts.set(org.account, [org]);
    }
    for (const org of usages) {
      const { id, account, age } = org;
      const ofAccount = totalOf(accounts.get(account ?? '') ?? []);
      const used = Math.max(ratioOf(org, limitsOf(org, quota)), ratioOf(ofAccount, accountQuota(quota)));
      const isFresh = used < LOW && age !== null && age < lowCheckS;
      // Data may have been deleted in any organization of an account above its quota.
      if (!isFresh && (changed.has(id) || refusals.has(account ?? ''))) await measure(options, org);
    }
    for (const org of usages) {
      if (isSeparate(org)) state.separate.set(org.id, true);
      else state.separate.delete(org.id);
      setRefusal(org.id, refusalOf(org, limitsOf(org, quota)));
    }
    for (const [account, orgs] of accounts) setRefusal(account, refusalOfAccount(orgs));
  }

  function refusalOfAccount(orgs: readonly OrgUsage[]): Refusal | undefined {
    const refusal = refusalOf(totalOf(orgs), accountQuota(quota));
    // Members of one organization are not told what others store, and can always change what they have.
    return refusal && { ...refusal, ratio: 1, message: ofAccount(refusal.limit.limit, quota), details: [] };
  }

  function setRefusal(key: string, refusal: Refusal | undefined): void {
    if (refusal && !refusals.has(key)) log.warn('a storage quota is exceeded', { of: key, ...refusal.limit });
    if (refusal) refusals.set(key, refusal);
    else refusals.delete(key);
  }

  const start = (lowCheckS: number): Promise<void> => {
    state.checkedAt = performance.now();
    checking ??= checkAll(lowCheckS)
      .catch((error) => log.error('storage was not measured', { error }))
      .finally(() => {
        checking = undefined;
      });
    return checking;
  };

  async function checkDisk(): Promise<void> {
    state.diskCheckedAt = performance.now();
    state.diskRefusal = (await isDiskFull?.()) ? DISK_FULL : undefined;
  }

  return {
    require(org, adds) {
      const account = state.separate.has(org.id) ? undefined : org.account;
      const refusal = state.diskRefusal ?? refusals.get(org.id) ?? refusals.get(account ?? '');
      if (!refusal || (!adds && refusal.ratio < CHANGES)) return;
      const { message, details, limit } = refusal;
      onRefused(limit.limit);
      throw new ApiError('rate_limit_error/exceeded', {
        ...{ message, limit, retryAfter: RETRY_AFTER_S },
        ...(details.length > 0 && { details }),
      });
    },
    written({ id }) {
      written.add(id);
      const now = performance.now();
      const run = background ?? (() => {});
      // Apart from measurements, which may take long.
      if (now - state.diskCheckedAt >= DISK_CHECK_MS) run(checkDisk());
      if (!checking && now - state.checkedAt >= CHECK_MS) run(start(LOW_CHECK_S));
    },
    async check() {
      await checkDisk();
      await checking;
      await start(0);
    },
    async usageOf(orgId) {
      const usage = (await readUsage(sql, [orgId])).find(({ id }) => id === orgId);
      if (!usage || state.shown.has(orgId)) return usage;
      state.shown.set(orgId, true);
      await measure(options, usage);
      return usage;
    },
  };
}

/** Measures an organization. One that cannot be measured keeps its last measurement, and others do not notice. */
export async function measure(
  { sql, engineOf, tablesOf, quota, log }: Measuring,
  org: OrgUsage,
): Promise<void> {
  if (!org.has_tables) return;
  try {
    const usage = await measureUsage(sql, tablesOf(org), await engineOf(sql), limitsOf(org, quota).bytes);
    const [written] = await writeUsage(sql, org.id, usage);
    Object.assign(org, written);
  } catch (error) {
    log.warn('the storage of an organization was not measured', { org: org.id, error });
  }
}

const isSeparate = ({ own_bytes, own_rows }: OrgUsage): boolean => own_bytes !== null || own_rows !== null;

/** The quota of an organization: its own, or that of all. */
export const limitsOf = (
  { own_bytes, own_rows }: Pick<OrgUsage, 'own_bytes' | 'own_rows'>,
  quota: StorageQuota,
): StorageQuota => ({
  bytes: storageBytes(own_bytes ?? '') ?? quota.bytes,
  rows: Number(own_rows ?? quota.rows) || quota.rows,
});

const accountQuota = ({ bytes, rows }: StorageQuota): StorageQuota => ({
  bytes: bytes * ORGS_PER_ACCOUNT,
  rows: rows * ORGS_PER_ACCOUNT,
});

const ADVICE = 'Delete findings, scans or projects, or ask the operator for more.';

/** An organization that was never measured counts as empty. */
const totalOf = (orgs: readonly Pick<OrgUsage, keyof Usage>[]): Usage => ({
  bytes: orgs.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
  rows: orgs.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
});

const ratioOf = (used: Pick<OrgUsage, keyof Usage>, max: StorageQuota): number =>
  Math.max((used.bytes ?? 0) / max.bytes, (used.rows ?? 0) / max.rows);

function refusalOf(used: Pick<OrgUsage, keyof Usage>, max: StorageQuota): Refusal | undefined {
  const { bytes, rows } = totalOf([used]);
  const ratio = ratioOf(used, max);
  if (ratio < 1) return undefined;
  if (bytes / max.bytes >= ratio)
    return {
      ratio,
      message: `The organization uses ${sizeText(bytes)} of its ${sizeText(max.bytes)} of storage. ${ADVICE}`,
      details: [{ field: 'storage', message: `${bytes} of ${max.bytes} bytes` }],
      limit: { limit: 'storage', used: bytes, max: max.bytes },
    };
  return {
    ratio,
    message: `The organization has ${rows} of its ${max.rows} findings, scans, exploits and activity entries. ${ADVICE}`,
    details: [{ field: 'rows', message: `${rows} of ${max.rows} rows` }],
    limit: { limit: 'rows', used: rows, max: max.rows },
  };
}

const ofAccount = (limit: StorageLimit, quota: StorageQuota): string =>
  `The organizations of the account that this one belongs to use all of their ${
    limit === 'storage'
      ? `${sizeText(accountQuota(quota).bytes)} of storage`
      : `${accountQuota(quota).rows} findings, scans, exploits and activity entries`
  }. ${ADVICE}`;

const DISK_FULL: Refusal = {
  ratio: Number.POSITIVE_INFINITY,
  message: 'The disk of the service is almost full. Reading and deleting work.',
  details: [],
  limit: { limit: 'disk' },
};

/** A size for people: `1.5 GiB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(3, Math.max(1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10) - 1));
  const number = bytes / 1024 ** (power + 1);
  return `${number < 10 ? Math.round(number * 10) / 10 : Math.round(number)} ${['', 'MiB', 'GiB', 'TiB'][power]}`;
}
