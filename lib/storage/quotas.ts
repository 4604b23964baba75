import QuickLRU from 'quick-lru';
import { isMissingTable } from '../../db/errors.ts';
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
  written: new Map<string, Org>(),
  diskRefusal: undefined as Refusal | undefined,
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
  written(org: Org): void;
  /** Measures now all that was written to. */
  check(): Promise<void>;
}

export interface StorageOptions {
  sql: Sql;
  engineOf: EngineDetection;
  tablesOf(org: { id: string }): OrgTables;
  quota: StorageQuota;
  state: StorageState;
  log: Logger;
  onRefused(limit: StorageLimit): void;
  /** Whether the disk of the database is almost full. Unset: not known. */
  isDiskFull?: (() => Promise<boolean>) | undefined;
  background?: ((task: Promise<unknown>) => void) | undefined;
}

/**
 * Keeps organizations and accounts within their storage quotas. A process measures the organizations that it has written to, in the
 * background, and remembers those above a quota: a request costs a look-up in memory, and a quota is exceeded by what is written in
 * ten seconds.
 */
export function createStorageQuotas(options: StorageOptions): StorageQuotas {
  const { sql, engineOf, tablesOf, quota, state, log, onRefused, isDiskFull, background } = options;
  const { refusals, written } = state;
  let checking: Promise<void> | undefined;

  async function measure(orgs: readonly OrgUsage[]): Promise<void> {
    for (const org of orgs) {
      if (!org.has_tables) continue;
      try {
        const usage = await measureUsage(sql, tablesOf(org), await engineOf(sql), limitsOf(org, quota).bytes);
        await writeUsage(sql, org.id, usage);
      } catch (error) {
        // Purged meanwhile.
        if (!isMissingTable(error)) throw error;
      }
    }
  }

  async function checkAll(): Promise<void> {
    state.diskRefusal = (await isDiskFull?.()) ? DISK_FULL : undefined;
    const changed = [...written.values()];
    written.clear();
    const ids = changed.map(({ id }) => id);
    const before = await readUsage(sql, ids);
    // Data may have been deleted in any organization of an account above its quota.
    await measure(before.filter(({ id, account }) => ids.includes(id) || refusals.has(account ?? '')));
    const usages = await readUsage(sql, ids);
    for (const org of usages) {
      if (isSeparate(org)) state.separate.set(org.id, true);
      else state.separate.delete(org.id);
      setRefusal(org.id, refusalOf(org, limitsOf(org, quota)));
    }
    for (const account of new Set(usages.flatMap(({ account }) => account ?? [])))
      setRefusal(account, refusalOfAccount(usages.filter((org) => org.account === account)));
  }

  function refusalOfAccount(orgs: readonly OrgUsage[]): Refusal | undefined {
    // An organization with a quota of its own does not count against that of its account.
    const shared = orgs.filter((org) => !isSeparate(org));
    const sum = (name: keyof Usage) => shared.reduce((total, org) => total + (org[name] ?? 0), 0);
    const refusal = refusalOf({ bytes: sum('bytes'), rows: sum('rows') }, accountQuota(quota));
    // Members of one organization are not told what others store.
    return refusal && { ...refusal, message: ofAccount(refusal.limit.limit, quota), details: [] };
  }

  function setRefusal(key: string, refusal: Refusal | undefined): void {
    if (refusal && !refusals.has(key)) log.warn('a storage quota is exceeded', { of: key, ...refusal.limit });
    if (refusal) refusals.set(key, refusal);
    else refusals.delete(key);
  }

  const start = (): Promise<void> => {
    state.checkedAt = performance.now();
    checking ??= checkAll()
      .catch((error) => log.error('storage was not measured', { error }))
      .finally(() => {
        checking = undefined;
      });
    return checking;
  };

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
    written(org) {
      written.set(org.id, org);
      if (checking || performance.now() - state.checkedAt < CHECK_MS) return;
      const task = start();
      background?.(task);
    },
    async check() {
      await checking;
      await start();
    },
  };
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

function refusalOf(
  { bytes, rows }: { [name in keyof Usage]: number | null },
  max: StorageQuota,
): Refusal | undefined {
  if (bytes === null || rows === null) return undefined;
  const [byBytes, byRows] = [bytes / max.bytes, rows / max.rows];
  const ratio = Math.max(byBytes, byRows);
  if (ratio < 1) return undefined;
  if (byBytes >= byRows)
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
  `The organizations of the account that created this one use all of their ${
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
