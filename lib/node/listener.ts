import { type AddressInfo, connect, Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../logger.ts';

/** Timeout for emptying the accept queue. */
const DRAIN_MS = 3_000;

/** Accept errors are logged at most once in this time. */
const ACCEPT_LOG_MS = 60_000;

/** Resolves with the port when the server listens. An undefined host means all interfaces. */
export async function listen(
  server: Server,
  port: number,
  host: string | undefined,
  log?: Logger,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // The server has run out of file descriptors. Existing connections continue.
  let logged = Number.NEGATIVE_INFINITY;
  server.on('error', (error) => {
    if (performance.now() - logged < ACCEPT_LOG_MS) return;
    logged = performance.now();
    log?.warn('connections are not accepted', { reason: error.message });
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Stops listening without closing connections. Closing the listening socket resets connections in the accept queue, so the
 * queue must be empty first: its length is set to the minimum, and then this process connects to itself. When that connection
 * is in the queue, it was empty and is now full. Later clients are refused.
 */
export async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return;
  const address = server.address() as AddressInfo;
  handleOf(server)?.listen?.(0);
  let ownConnection: Socket | undefined;
  const deadline = Date.now() + DRAIN_MS;
  do {
    await setImmediate();
    ownConnection = CONNECTS_SYNCHRONOUSLY ? await fillQueue(address) : undefined;
  } while (CONNECTS_SYNCHRONOUSLY && !ownConnection && Date.now() < deadline);
  // No `await` before this line. The `close` of an HTTP server would also close connections that look idle.
  Server.prototype.close.call(server);
  ownConnection?.destroy();
}

/** Whether a connection within one machine is established or refused when the system call returns. */
const CONNECTS_SYNCHRONOUSLY = process.platform === 'linux';
const LOOPBACK: Record<string, string> = { '::': '::1', '0.0.0.0': '127.0.0.1' };

/** Puts a connection into the accept queue; undefined when the queue is full. */
function fillQueue({ address, port }: AddressInfo): Promise<Socket | undefined> {
  const socket = connect({ host: LOOPBACK[address] ?? address, port });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    // Runs after the system call.
    process.nextTick(() => {
      if (handleOf(socket)?.getpeername?.({}) === 0) return resolve(socket);
      socket.destroy();
      resolve(undefined);
    });
  });
}

/** Node's internal handle of a socket; null when it is closed. */
const handleOf = (socket: object) =>
  (socket as { _handle: { listen?(backlog: number): number; getpeername?(out: object): number } | null })
    ._handle;
