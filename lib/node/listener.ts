import { type AddressInfo, connect, Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from '../logger.ts';

/** How long we try to stop listening without losing a connection. */
const DRAIN_MS = 1_000;

const ACCEPT_LOG_MS = 60_000;

/** Resolves with the port when the server listens; an undefined host is every interface. */
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
  // Without file descriptors a connection cannot be accepted: the others go on.
  let logged = Number.NEGATIVE_INFINITY;
  server.on('error', (error) => {
    if (performance.now() - logged < ACCEPT_LOG_MS) return;
    logged = performance.now();
    log?.warn('connections are not accepted', { reason: error.message });
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Stops listening, and leaves the connections alone. What the system has connected and we have not accepted yet, it would
 * reset together with the listening socket. So its queue is made as short as can be; once a connection of our own is
 * in it, it was empty, and nobody else gets in any more. Who comes later is refused.
 */
export async function stopListening(server: Server): Promise<void> {
  if (!server.listening) return;
  const address = server.address() as AddressInfo;
  handleOf(server)?.listen?.(0);
  let plug: Socket | undefined;
  const deadline = Date.now() + DRAIN_MS;
  do {
    await turn();
    plug = CONNECTS_AT_ONCE ? await plugInto(address) : undefined;
  } while (CONNECTS_AT_ONCE && !plug && Date.now() < deadline);
  // In the same turn. An HTTP server's own `close` would cut off connections that it takes to be idle.
  Server.prototype.close.call(server);
  plug?.destroy();
}

/** Whether a connection within one machine is there, or refused, when the system call returns. */
const CONNECTS_AT_ONCE = process.platform === 'linux';
const LOOPBACK: Record<string, string> = { '::': '::1', '0.0.0.0': '127.0.0.1' };

/** A connection that nobody has accepted; undefined when there is no room for it. */
function plugInto({ address, port }: AddressInfo): Promise<Socket | undefined> {
  const socket = connect({ host: LOOPBACK[address] ?? address, port });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    // Behind the system call.
    process.nextTick(() => {
      if (handleOf(socket)?.getpeername?.({}) === 0) return resolve(socket);
      socket.destroy();
      resolve(undefined);
    });
  });
}

/** What Node has of a socket of the system; null when it is closed. */
const handleOf = (socket: object) =>
  (socket as { _handle: { listen?(backlog: number): number; getpeername?(out: object): number } | null })
    ._handle;
