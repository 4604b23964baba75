/** A query of postgres.js, with what the driver itself uses of it. */
export interface DriverQuery extends Promise<{ command: string }> {
  /** Called once, when the query is to be sent. */
  handler(query: DriverQuery): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  strings: [string];
  args: unknown[];
  options: { prepare?: boolean; simple?: boolean };
}

export const asQuery = (query: object) => query as DriverQuery;

/** What is said of a query whose connection is gone. */
export const lost = (cause?: unknown) =>
  Object.assign(new Error('the connection was lost', { cause }), { code: 'CONNECTION_CLOSED' });

/** `target` with other methods. */
export function replacing<Target extends object>(
  target: Target,
  methods: Record<string | symbol, unknown>,
): Target {
  return new Proxy(target, { get: (_, key) => methods[key] ?? target[key as keyof Target] });
}
