import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { percentile } from '../scenario/stats.ts';
import { type Load, type LoadResult, MARK } from './load.ts';

process.once('message', (load: Load) => {
  if (load.nice) setPriority(load.nice);
  void send(load).then((result) => process.send?.(result, () => process.disconnect()));
});

/** One request after the other on every connection; those under way at the end are waited for. */
async function send(load: Load): Promise<LoadResult> {
  const times: number[] = [];
  let errors = 0;
  let count = 0;
  const templates = load.requests.map((request) => request.split(MARK));
  const next = () => {
    const pieces = templates[++count % templates.length] as string[];
    if (pieces.length === 1) return pieces[0];
    const random = load.distinct ? '' : Math.random().toString(16).slice(2, 14);
    const number = load.distinct ? count % load.distinct : count;
    return pieces.join(`${random.padEnd(16, '0')}${load.run}${`${number}`.padStart(12, '0')}`);
  };
  const began = performance.now();
  const end = began + load.seconds * 1000;
  const connections = Array.from({ length: load.connections }, () =>
    converse(load.origin, {
      next: () => (performance.now() < end ? next() : undefined),
      answered(status, ms) {
        if (status === load.status) times.push(ms);
        else errors++;
      },
    }),
  );
  for (const { status } of await Promise.allSettled(connections)) if (status === 'rejected') errors++;
  const seconds = (performance.now() - began) / 1000;
  const sorted = Float64Array.from(times).sort();
  return {
    answered: times.length,
    errors,
    perSecond: times.length / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
  };
}

interface Talk {
  /** The next request; undefined ends the connection. */
  next(): string | undefined;
  answered(status: number, ms: number): void;
}

/** Speaks as much HTTP as our server's answers need, for a fraction of what `node:http` costs. */
function converse(origin: string, { next, answered }: Talk): Promise<void> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let received = '';
    let sent = 0;
    let over = false;
    const send = () => {
      const request = next();
      if (request === undefined) {
        over = true;
        socket.end();
        return;
      }
      sent = performance.now();
      socket.write(request);
    };
    // One character for each byte.
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('data', (chunk: string) => {
      received += chunk;
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
      if (received.length < headEnd + 4 + length) return;
      const status = Number(received.slice(9, 12));
      received = '';
      answered(status, performance.now() - sent);
      send();
    });
    socket.on('error', reject);
    socket.on('close', () => (over ? resolve() : reject(new Error('connection closed'))));
  });
}
