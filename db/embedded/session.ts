import postgres from 'postgres';

/** Keys of the advisory lock: "svc" as a number, and 1 for the cluster. Other locks of the service use single keys. */
const KEYS = '7566947, 1';

export type Session = NonNullable<Awaited<ReturnType<typeof openSession>>>;

/**
 * Opens a connection that holds a shared advisory lock while this process uses the server.
 * @param onClose is called when the connection is lost or ended
 * @returns undefined when another process is about to shut the server down
 * @throws the driver's error when there is no connection
 */
export async function openSession(url: string, onClose = () => {}) {
  let isClosed = false;
  const sql = postgres(url, {
    max: 1,
    ssl: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    onclose() {
      isClosed = true;
      onClose();
    },
    connection: {
      application_name: 'svc-findings lock',
      // Transactions are read-only by default while the disk is full.
      options: '-c default_transaction_read_only=off -c statement_timeout=0 -c idle_session_timeout=0',
    },
  });
  /** Runs a statement. */
  const run = async (statement: string): Promise<readonly Record<string, unknown>[]> => sql.unsafe(statement);
  const lock = async (call: string) => (await run(`select ${call}(${KEYS}) as done`))[0]?.done === true;
  // No query is in progress, and a graceful end would wait for a server that is gone.
  const end = () => sql.end({ timeout: 0 });
  const isJoined = await lock('pg_try_advisory_lock_shared').catch(async (error) => {
    await end();
    throw error;
  });
  if (!isJoined) return void (await end());
  return {
    run,
    isClosed: () => isClosed,
    /** Gives up the lock. @returns whether no other process holds it: none gets it before this session ends */
    async release(): Promise<boolean> {
      await lock('pg_advisory_unlock_shared');
      return lock('pg_try_advisory_lock');
    },
    end,
  };
}
