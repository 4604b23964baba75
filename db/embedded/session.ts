import postgres from 'postgres';

/** Two keys, a space apart from the single keys other parts use: "svc", and the cluster as a whole. */
const KEYS = '7566947, 1';

/** What a process may do with a running server. */
export type Claim = 'shared' | 'alone' | 'refused';

/** A connection whose locks tell the other processes at the same cluster that this one uses it, for as long as it lives. */
export interface Session {
  /**
   * `alone`: nobody uses the server and, until this session ends, nobody will. `shared`: it is in use and may now be
   * used. `refused`: another process has it alone, to shut it down.
   */
  claim(): Promise<Claim>;
  /** From `alone` to `shared`. */
  share(): Promise<void>;
  /** From `shared` to `alone`. @returns false when it is still in use by others; then this session holds nothing */
  release(): Promise<boolean>;
  /** Calls `listener` when a shared lock is lost, which happens with the connection; at once when it is already. */
  onLost(listener: () => void): void;
  /** When the server started, in ms. */
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
      // Nothing is under way; to a server that is gone, a polite end would wait.
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
