import { once } from 'node:events';
import net from 'node:net';

/** A TCP proxy before a PostgreSQL that records statements. */
export interface Wire {
  /** The same database, through the proxy. */
  url: string;
  /** Statements that were sent since the last time, in order. */
  take(): string[];
  close(): Promise<void>;
}

/** Forwards connections to a PostgreSQL without TLS, and records the statements of both protocols. */
export async function tapWire(databaseUrl: string): Promise<Wire> {
  const there = new URL(databaseUrl);
  let sent: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const database = net.connect(Number(there.port || 5432), there.hostname);
    const read = createReader((statement) => sent.push(statement));
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('end', () => other.end());
    }
    client.on('data', (data) => {
      read(data);
      database.write(data);
    });
    database.on('data', (data) => client.write(data));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as net.AddressInfo).port);
  return {
    url: url.href,
    take() {
      const all = sent;
      sent = [];
      return all;
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads the messages of one connection to PostgreSQL. */
function createReader(onStatement: (text: string) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isOpen = false;
  /** Prepared statements by name. */
  const prepared = new Map<string, string>();

  function message(type: string, body: Buffer) {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
    // Query; Parse: name, statement; Bind: portal, name of a statement.
    if (type === 'Q') onStatement(first);
    if (type === 'P') prepared.set(first, second);
    if (type === 'B') onStatement(prepared.get(second) ?? '');
  }

  return (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      // The message that opens a connection has no type.
      const start = isOpen ? 1 : 0;
      if (rest.length < start + 4) return;
      const end = start + rest.readInt32BE(start);
      if (rest.length < end) return;
      if (isOpen) message(String.fromCharCode(rest[0] as number), rest.subarray(5, end));
      isOpen = true;
      rest = rest.subarray(end);
    }
  };
}
