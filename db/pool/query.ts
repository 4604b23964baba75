import type { Sql as PostgresSql, Row, RowList } from 'postgres';

/** The part of a postgres.js client that the service uses. */
export interface Sql extends TransactionSql {
  begin<T>(run: (tx: TransactionSql) => T | Promise<T>): Promise<T>;
}

/** A client that can only run transactions. */
export type Transactions = Pick<Sql, 'begin'>;

export interface TransactionSql {
  unsafe: PostgresSql['unsafe'];
}

/** Options of `unsafe` beside those of postgres.js. */
export interface QueryOptions {
  /** Never prepares the statement, because its plan depends on the parameters. */
  planEachTime?: boolean;
  /** Cancels the statement in PostgreSQL. */
  signal?: AbortSignal | undefined;
}

export interface Statement extends QueryOptions {
  text: string;
  params: unknown[];
  /** Methods of postgres.js's queries: the simple protocol, and the form of the rows. */
  modifiers: ('simple' | 'raw' | 'values')[];
}

export type Rows = RowList<Row[]>;
export type Send = (statement: Statement) => Promise<Rows>;
export type Begin = (run: (tx: TransactionSql) => unknown) => Promise<unknown>;

/** A statement without parameters. */
export const command = (text: string): Statement => ({ text, params: [], modifiers: [] });

/** A client whose queries are sent by `send`; without `begin`, that of a transaction. */
export function createSqlClient(options: PostgresSql['options'], send: Send, begin?: Begin): Sql {
  const unsafe = (text: string, params: unknown[] = [], { planEachTime, signal }: QueryOptions = {}) =>
    new Query({ text, params, planEachTime, signal, modifiers: [] }, send);
  return { options, unsafe, begin } as unknown as Sql;
}

/** A query that is sent once, when it is executed or awaited. */
class Query {
  readonly #statement: Statement;
  readonly #send: Send;
  #rows: Promise<Rows> | undefined;

  constructor(statement: Statement, send: Send) {
    this.#statement = statement;
    this.#send = send;
  }

  execute(): Promise<Rows> {
    this.#rows ??= this.#send(this.#statement);
    return this.#rows;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited like a query of postgres.js
  then(...handlers: Parameters<Promise<Rows>['then']>) {
    return this.execute().then(...handlers);
  }

  catch(...handlers: Parameters<Promise<Rows>['catch']>) {
    return this.execute().catch(...handlers);
  }

  finally(...handlers: Parameters<Promise<Rows>['finally']>) {
    return this.execute().finally(...handlers);
  }

  simple(): this {
    return this.#modify('simple');
  }

  raw(): this {
    return this.#modify('raw');
  }

  values(): this {
    return this.#modify('values');
  }

  #modify(modifier: Statement['modifiers'][number]): this {
    this.#statement.modifiers.push(modifier);
    return this;
  }
}

/** The error of a query whose connection is lost. */
export const lost = (cause?: unknown) =>
  Object.assign(new Error('the connection was lost', { cause }), { code: 'CONNECTION_CLOSED' });

/** Whether a statement lifts the time limit for the rest of its transaction. */
export const liftsTimeout = (text: string): boolean => /\bstatement_timeout = 0\b/.test(text);
