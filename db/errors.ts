const READ_ONLY = '25006';
const DISK_FULL = '53100';

/** Failures that say "the database cannot be reached or used now", by SQLSTATE or driver code. */
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'DATABASE_DOWN',
  'TOO_BUSY',
  READ_ONLY,
  DISK_FULL,
  '53300', // too many connections
  '57014', // statement timeout
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
]);

/** The SQLSTATE or driver code of an error, looked for along its causes. */
export function sqlState(error: unknown): string | undefined {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as { code?: unknown };
    if (typeof code === 'string') return code;
    // A host with several addresses fails with one error for all of them.
    if (e instanceof AggregateError && e.errors.length > 0) return sqlState(e.errors[0]);
  }
  return undefined;
}

/** Whether a query failed because the database is unreachable, overloaded or on its way down. */
export function isUnavailable(error: unknown): boolean {
  const code = sqlState(error);
  return code !== undefined && (UNAVAILABLE.has(code) || isWorkerDown(error));
}

/** Whether PostgreSQL reported a lost connection, which is one of Citus to a worker. */
export function isWorkerDown(error: unknown): boolean {
  const code = sqlState(error);
  if (code?.startsWith('08')) return true;
  // Citus has no SQLSTATE for a worker that fails during a transaction.
  return code === 'XX000' && messageOf(error).startsWith('failure on connection marked as essential');
}

/** The message of the error that has the SQLSTATE. */
function messageOf(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause)
    if (typeof (e as { code?: unknown }).code === 'string') return e.message;
  return '';
}

/** Whether a write failed because the database takes none: its disk is full, or it is read-only at the moment. */
export function refusesWrites(error: unknown): boolean {
  const code = sqlState(error);
  return code === DISK_FULL || code === READ_ONLY;
}

/** Whether a statement failed only because an earlier one of its transaction had failed. */
export const isAborted = (error: unknown): boolean => sqlState(error) === '25P02';

/** Whether running the same transaction again may succeed. */
export function isRetryable(error: unknown): boolean {
  const code = sqlState(error);
  return code !== undefined && RETRYABLE.has(code);
}

const RETRYABLE = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  'CIINF', // Citus: an intermediate result is missing, because Citus moved the organization meanwhile
]);

const MAX_TRIES = 4;

/** Runs a transaction, and again when it lost to another one (see {@link isRetryable}). */
export async function retried<T>(transaction: () => PromiseLike<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isRetryable(error) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Whether a row names another that was deleted meanwhile. */
export const isForeignKeyViolation = (error: unknown): boolean => sqlState(error) === '23503';

/** Whether a table of the statement does not exist. */
export const isMissingTable = (error: unknown): boolean => sqlState(error) === '42P01';

/** Whether a row names a user, by id, who was deleted meanwhile. */
export function isOfDeletedUser(error: unknown, userId: string): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code, detail } = e as { code?: unknown; detail?: unknown };
    if (code === '23503') return String(detail).includes(`=(${userId}) is not present in table "users"`);
  }
  return false;
}

/** Whether a statement did not wait for a lock, or not any longer. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03';

/** Whether a unique constraint refused the row. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';
