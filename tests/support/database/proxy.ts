import net, { type AddressInfo } from 'node:net';

/** A way to a database that can be disturbed. */
export interface DatabaseProxy {
  url: string;
  /** Passes nothing on any more, in either direction; takes new connections all the same, like a stopped process. */
  silence(): void;
  /** The same, for the next connection that says something. */
  silenceOne(): void;
  /** Passes on what the next connection says after `ms` only. */
  delayNext(ms: number): void;
  /** Accepts no new connections. */
  refuse(): void;
  /** Passes on again, what was kept first. */
  resume(): void;
  /** Resets all connections. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts a proxy before the database that `url` leads to. */
export async function startProxy(url: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<net.Socket>();
  const resumers = new Set<() => void>();
  let silent = false;
  let victims = 0;
  let delayMs = 0;
  const server = net.createServer((socket) => {
    const onward = net.connect(Number(port), hostname);
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket) && onward.destroy());
    onward.on('error', () => {}).on('close', () => socket.destroy());
    let kept: (() => void)[] = [];
    let deaf = false;
    const delay = delayMs;
    delayMs = 0;
    const pass = (to: net.Socket) => (data: Buffer) => {
      if (to === onward && victims > 0) {
        victims--;
        deaf = true;
      }
      if (silent || deaf) kept.push(() => to.write(data));
      else if (delay > 0) setTimeout(() => to.write(data), delay);
      else to.write(data);
    };
    socket.on('data', pass(onward));
    onward.on('data', pass(socket));
    resumers.add(() => {
      for (const write of kept) write();
      kept = [];
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: proxied.href,
    silence() {
      silent = true;
    },
    silenceOne() {
      victims++;
    },
    delayNext(ms) {
      delayMs = ms;
    },
    refuse: () => void server.close(),
    resume() {
      silent = false;
      for (const resume of resumers) resume();
    },
    reset,
    async close() {
      reset();
      await new Promise((closed) => server.close(closed));
    },
  };
}
