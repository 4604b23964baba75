import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The connections of an HTTP server, each ended without cutting off what its peer still has to read. */
export interface Connections {
  add(socket: Socket): void;
  /** A request has come; undefined when it is not to be answered, because its connection is ending. */
  begin(req: IncomingMessage, res: ServerResponse): Connection | undefined;
  get(socket: Socket): Connection | undefined;
  /**
   * Ends a connection when all that was written is sent. What still comes is read and dropped: left unread, the system
   * would answer it by a reset, which takes along what the peer has not read yet.
   */
  end(socket: Socket): void;
  /**
   * Waits until there are none left: they end with the answers under way, or when nothing has come for a while.
   * @returns how many requests were not answered when the time was over; their connections are broken off
   */
  endAll(deadline: number): Promise<number>;
}

export interface Connection {
  /** Requests that have come. */
  requests: number;
  unanswered: number;
  /** Responses behind an earlier one. Node forgets them when the connection ends. */
  queued: ServerResponse[];
  /** Since when nothing is under way, or the oldest answer is. */
  since: number;
  /** What had been read when the last answer was out. */
  bytesRead: number;
  /** No more requests are answered. */
  ending: boolean;
}

export interface ConnectionLimits {
  /** When there are more, those that have been idle for longest make room. */
  max: number;
  /** Bytes of all answers that wait for their readers; when there are more, the longest answers are broken off. */
  maxUnsent: number;
  /** No answer takes longer to be read. */
  answerMs: number;
}

/** How long a peer may take to close a connection that we have ended. */
const LINGER_MS = 1_000;
/** When the server stops, a connection on which nothing has come for so long is idle. */
const SILENT_MS = 500;
const LOOK_MS = 1_000;
/** This share of the connections makes room at once. */
const ROOM = 0.01;

export function createConnections({ max, maxUnsent, answerMs }: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>();
  let looking: NodeJS.Timeout | undefined;

  function end(socket: Socket): void {
    const connection = connections.get(socket);
    if (!connection || (connection.ending && socket.writableEnded)) return;
    connection.ending = true;
    socket.end();
    const late = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(late));
  }

  /** Whether nothing is under way, and no part of a request has come. */
  const isIdle = (socket: Socket, { unanswered, ending, bytesRead }: Connection) =>
    unanswered === 0 && !ending && socket.bytesRead === bytesRead;

  function makeRoom(): void {
    const idle = [...connections].filter(([socket, connection]) => isIdle(socket, connection));
    idle.sort(([, a], [, b]) => a.since - b.since);
    for (const [socket] of idle.slice(0, Math.ceil(max * ROOM))) {
      socket.destroy();
      connections.delete(socket);
    }
  }

  function look(): void {
    const tooLong = performance.now() - answerMs;
    let unsent = 0;
    const reading: Socket[] = [];
    for (const [socket, { unanswered, since }] of connections) {
      if (unanswered === 0) continue;
      if (since < tooLong) socket.destroy();
      else if (socket.writableLength > 0) {
        unsent += socket.writableLength;
        reading.push(socket);
      }
    }
    if (unsent <= maxUnsent) return;
    for (const socket of reading.sort((a, b) => b.writableLength - a.writableLength)) {
      unsent -= socket.writableLength;
      socket.destroy();
      if (unsent <= maxUnsent) break;
    }
  }

  return {
    end,
    get: (socket) => connections.get(socket),
    add(socket) {
      if (connections.size >= max) makeRoom();
      if (connections.size >= max) {
        socket.destroy();
        return;
      }
      looking ??= setInterval(look, LOOK_MS).unref();
      const connection: Connection = {
        ...{ requests: 0, unanswered: 0, queued: [], ending: false, bytesRead: 0 },
        since: performance.now(),
      };
      connections.set(socket, connection);
      // What Node calls after the last answer.
      socket.destroySoon = () => end(socket);
      socket.once('close', () => {
        connections.delete(socket);
        for (const res of connection.queued) res.emit('close');
        if (connections.size > 0) return;
        clearInterval(looking);
        looking = undefined;
      });
    },
    begin(req, res) {
      const { socket } = req;
      const connection = connections.get(socket);
      if (!connection || connection.ending) return undefined;
      connection.requests++;
      if (connection.unanswered++ === 0) connection.since = performance.now();
      if (!res.socket) connection.queued.push(res);
      res.once('close', () => {
        connection.unanswered--;
        connection.since = performance.now();
        connection.bytesRead = socket.bytesRead;
        if (connection.queued.length > 0)
          connection.queued = connection.queued.filter((other) => other !== res);
      });
      return connection;
    },
    async endAll(deadline) {
      const began = performance.now();
      while (connections.size > 0 && Date.now() < deadline) {
        const now = performance.now();
        for (const [socket, connection] of connections) {
          const silent = now - Math.max(connection.since, began);
          if (silent > SILENT_MS && isIdle(socket, connection)) end(socket);
        }
        await sleep(10);
      }
      let cut = 0;
      for (const [socket, { unanswered }] of connections) {
        cut += unanswered;
        socket.destroy();
      }
      return cut;
    },
  };
}
