import type { Sql } from 'postgres';
import { type Connection, type Hosts, openConnection } from './connection.ts';
import { asQuery, type DriverQuery, lost } from './driver.ts';

/** A place for one connection to PostgreSQL, which is opened when it is needed. */
export interface Slot {
  isOpen(): boolean;
  /**
   * Opens a connection, unless one is open.
   * @throws what keeps it from being opened, in which case nothing has been sent
   */
  open(): Promise<void>;
  /** Sends a query behind those sent before; it is rejected when the connection is not open, or is lost. */
  send(query: DriverQuery): void;
  /** Sends a statement without parameters. */
  run(text: string): Promise<{ command: string }>;
  /** For how many milliseconds queries, or its opening, have been waiting without an answer; 0 when none is. */
  waits(): number;
  /** Lets what is sent until the next `rest` take as long as it likes. */
  unlimited(): void;
  isUnlimited(): boolean;
  /** To be called after each use; closes a connection that has grown old, or large. */
  rest(): void;
  /** Milliseconds since the last use. */
  idle(): number;
  /** Breaks the connection off: what is under way fails with `error`. */
  kill(error: Error): void;
  /** Closes the connection; to be called between two uses. */
  close(): void;
}

export interface SlotOptions {
  /** Its options, as the driver has read them, are those of every connection. */
  driver: Sql;
  hosts: Hosts;
  /** Tells by its text whether a statement is to be prepared. */
  isHot(text: string): boolean;
  /** Called whenever PostgreSQL has answered a query. */
  onAnswer(): void;
  /** Called when a connection turns out to lead through a pooler. */
  onPooler(): void;
}

/** How long a connection lives. */
export const CONNECTION_LIFETIME_MS = 30 * 60 * 1000;

/**
 * A backend never forgets what it has read of an organization's tables (some 110 KB after a push and some reads, soak test
 * `orgs`). Renewed after so many of them, it stays below 90 MB; a new connection costs some 5 ms.
 */
const MAX_ORGS = 750;

const ORG_SCHEMA = /"org_([0-9a-f]{32})"/;

/** As many as the driver takes. */
const MAX_PARAMETERS = 65_533;

export function createSlot({ driver, hosts, isHot, onAnswer, onPooler }: SlotOptions): Slot {
  let current: Connection | undefined;
  let usedAt = performance.now();
  let answeredAt = 0;
  let unlimited = false;

  function track({ pending }: Connection, query: DriverQuery): void {
    const { resolve, reject } = query;
    if (pending.size === 0) answeredAt = performance.now();
    const fail = (error: unknown) => {
      pending.delete(fail);
      answeredAt = performance.now();
      reject(error);
    };
    pending.add(fail);
    query.reject = (error) => {
      if ((error as { severity?: string }).severity === 'ERROR') onAnswer();
      fail(error);
    };
    query.resolve = (rows) => {
      pending.delete(fail);
      answeredAt = performance.now();
      onAnswer();
      closeGap(rows as unknown[]);
      resolve(rows);
    };
  }

  const slot: Slot = {
    isOpen: () => current?.open === true,
    async open() {
      if (current?.open) return;
      const connection = await openConnection({
        driver,
        hosts,
        onBegin(begun) {
          current = begun;
        },
        onEnd(ended) {
          if (current === ended) current = undefined;
        },
      });
      onAnswer();
      if (!connection.direct) onPooler();
    },
    send(query) {
      const connection = current;
      if (!connection?.open) {
        query.reject(lost());
        return;
      }
      // Found out by the driver only when it has counted the query among those that are sent.
      const { args } = query;
      if (args.length > MAX_PARAMETERS || args.includes(undefined)) {
        query.reject(new Error(`a query with ${args.length} parameters, or one that is undefined`));
        return;
      }
      const [text] = query.strings;
      const org = ORG_SCHEMA.exec(text);
      if (org?.[1]) connection.orgs.add(org[1]);
      const { simple, planAnew } = query.options;
      query.options.prepare = connection.direct && !simple && !planAnew && isHot(text);
      track(connection, query);
      connection.give(query);
    },
    run(text) {
      const query = asQuery(driver.unsafe(text));
      query.handler = slot.send;
      return query;
    },
    waits() {
      if (current && !current.open) return performance.now() - current.openedAt;
      return current?.pending.size ? performance.now() - answeredAt : 0;
    },
    unlimited() {
      unlimited = true;
    },
    isUnlimited: () => unlimited,
    rest() {
      unlimited = false;
      usedAt = performance.now();
      if (!current) return;
      if (current.orgs.size >= MAX_ORGS || usedAt - current.openedAt > CONNECTION_LIFETIME_MS) slot.close();
    },
    idle: () => performance.now() - usedAt,
    kill: (error) => current?.end(error),
    close() {
      const connection = current;
      current = undefined;
      void connection?.client.end({ timeout: 1 }).finally(connection.end);
    },
  };
  return slot;
}

/**
 * postgres.js goes on counting where a query broke off after its first rows: those of the next on that connection would
 * stand behind so many empty ones.
 */
function closeGap(rows: unknown[]): void {
  if (rows.length > 0 && !(0 in rows)) rows.splice(0, Number(Object.keys(rows)[0]));
}
