import postgres from 'postgres';

/** Keys of the advisory lock: "svc" as a number, and 1 for the cluster. Other locks of the service use single keys. */
const KEYS = '7566947, 1';

/** The result of locking a running server. */
export type Claim = 'shared' | 'alone' | 'refused';

/** A connection that holds an advisory lock while this process uses the server. */
export interface Session {
  /**
   * Tries to lock the server. `alone`: no other process uses the server, and none can until this session ends. `shared`: other
   * processes use it, too. `refused`: another process holds it exclusively, to shut it down.
   */
  claim(): Promise<Claim>;
  /** Converts the lock from `alone` to `shared`. */
  share(): Promise<void>;
  /** Converts the lock from `shared` to `alone`. @returns false when others use the server; the session then holds no lock */
  release(): Promise<boolean>;
  /** Calls `listener` when the connection with the shared lock is lost, immediately if it already is. */
  onLost(listener: () => void): void;
  /** Start time of the server in milliseconds since 1970. */
  serverStart(): Promise<number>;
  run(statement: string): Promise<unknown>;
  end(): Promise<void>;
}

/** @throws the driver's error when there is no connection */
export async function openSession(url: string): Promise<Session> {
  let sharing = false;
  let lost = () => {};
  const sql = postgres(url, {
    max: 1,
    ssl: false,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    onclose() {
      if (!sharing) return;
      sharing = false;
      lost();
    },
    connection: { application_name: 'svc-findings lock', idle_session_timeout: 0, statement_timeout: 0 },
  });
  const ask = async (call: string): Promise<boolean> => {
    const [row] = await sql.unsafe<{ yes: boolean }[]>(`select ${call}(${KEYS}) as yes`);
    return row?.yes ?? false;
  };
  const session: Session = {
    async claim() {
      if (await ask('pg_try_advisory_lock')) return 'alone';
      sharing = await ask('pg_try_advisory_lock_shared');
      return sharing ? 'shared' : 'refused';
    },
    async share() {
      sharing = await ask('pg_try_advisory_lock_shared');
      await ask('pg_advisory_unlock');
    },
    async release() {
      sharing = false;
      await sql.unsafe('select pg_advisory_unlock_all()');
      return ask('pg_try_advisory_lock');
    },
    onLost(listener) {
      if (sharing) lost = listener;
      else listener();
    },
    async serverStart() {
      const [row] = await sql.unsafe<{ ms: number }[]>(
        'select (extract(epoch from pg_postmaster_start_time()) * 1000)::float8 as ms',
      );
      return row?.ms ?? 0;
    },
    run: async (statement) => await sql.unsafe(statement),
    async end() {
      sharing = false;
      // No query is in progress, and a graceful end would wait for a server that is gone.
      await sql.end({ timeout: 0 });
    },
  };
  try {
    await sql.unsafe('select 1');
  } catch (error) {
    await session.end();
    throw error;
  }
  return session;
}
