import type { ChildProcess } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { listen, stopListening } from './listener.ts';

/** Listens, and gives the connections to processes in turn. */
export interface Handover {
  /** Resolves with the port. */
  listen(port: number, host: string | undefined): Promise<number>;
  /** A process takes connections from now on, or has taken the one it was given. */
  takesNext(child: ChildProcess): void;
  /** A process has ended: what it had not taken goes to another. */
  left(child: ChildProcess): void;
  /** Listens no more; resolves when all connections are taken, or could not be given to anybody. */
  close(): Promise<void>;
}

/** As many as the system keeps for a process that is not fast enough. */
const MAX_WAITING = 511;
/** What is not taken by then, when the server stops, finds nobody to take it. */
const LAST_MS = 1_000;

/**
 * A process is given one connection at a time, so one that is busy gets fewer. node:cluster does the same, but a
 * connection that its process does not take, because it was killed or is just stopping, stays open and unanswered there.
 */
export function createHandover(log: Logger): Handover {
  const idle: ChildProcess[] = [];
  const waiting: Socket[] = [];
  const given = new Map<ChildProcess, Socket>();
  let closed = false;
  // What http.createServer() would set, and nothing read here.
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    if (waiting.length >= MAX_WAITING) socket.destroy();
    else waiting.push(socket);
    giveNext();
  });

  function giveNext(): void {
    for (;;) {
      const [child, socket] = [idle[0], waiting[0]];
      if (!child || !socket) return;
      idle.shift();
      waiting.shift();
      given.set(child, socket);
      // Open here until it is taken. An error means that the process is about to end.
      child.send({ type: 'connection' }, socket, { keepOpen: true }, () => {});
    }
  }

  return {
    listen: (port, host) => listen(server, port, host, log),
    takesNext(child) {
      given.get(child)?.destroy();
      given.delete(child);
      idle.push(child);
      giveNext();
    },
    left(child) {
      const index = idle.indexOf(child);
      if (index >= 0) idle.splice(index, 1);
      const socket = given.get(child);
      given.delete(child);
      if (!socket) return;
      if (closed) socket.destroy();
      else waiting.unshift(socket);
      giveNext();
    },
    async close() {
      await stopListening(server);
      const deadline = Date.now() + LAST_MS;
      while (waiting.length + given.size > 0 && Date.now() < deadline) await sleep(5);
      closed = true;
      for (const socket of waiting.splice(0)) socket.destroy();
    },
  };
}
