import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The connections of an HTTP server, each ended without cutting off what its peer still has to read. */
export interface Connections {
  add(socket: Socket): void;
  /**
   * A request has come. Calls `serve` at once, when there is room on its connection, or never, when that is not to be
   * answered any more.
   */
  begin(req: IncomingMessage, res: ServerResponse, serve: () => void): void;
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
  /** The request that is coming, or the last one, until it is complete and answered. */
  latest: { req: IncomingMessage; res: ServerResponse } | undefined;
  /** Responses behind an earlier one. Node forgets them when the connection ends. */
  queued: Set<ServerResponse>;
  /** Requests for which there is no room yet. */
  held: (() => void)[];
  /** Nothing is read, because there are too many requests; undefined when there never were. */
  paused: boolean | undefined;
  /** Since when nothing is under way. */
  idleSince: number;
  /** Since when the oldest answer is under way. */
  answeringSince: number;
  /** What had been read when the last request was over. */
  bytesRead: number;
  /** What still comes is not answered. */
  refusing: boolean;
  /** When we have ended it. */
  endedAt: number | undefined;
}

export interface ConnectionLimits {
  /** When there are more, those that have been idle for longest make room. */
  max: number;
  /** Requests of one connection that are served at a time; while there are more, nothing is read from it. */
  maxPipelined: number;
  /** Bytes of all answers that wait for their readers; when there are more, the longest answers are broken off. */
  maxUnsent: number;
  /** No answer takes longer to be read. */
  answerMs: number;
}

/** A connection that we have ended is closed when nothing has come for so long, or after the longer time. */
const LINGER_MS = 5_000;
const LONGEST_LINGER_MS = 30_000;
/** When the server stops. */
const LAST_LINGER_MS = 1_000;
/** When the server stops, a connection on which nothing has come for so long is idle. */
const SILENT_MS = 500;
const LOOK_MS = 1_000;
/** This share of the connections makes room at once. */
const ROOM = 0.01;

export function createConnections(limits: ConnectionLimits): Connections {
  const { max, maxPipelined, maxUnsent, answerMs } = limits;
  const connections = new Map<Socket, Connection>();
  let looking: NodeJS.Timeout | undefined;

  function end(socket: Socket): void {
    const connection = connections.get(socket);
    if (!connection || connection.endedAt !== undefined) return;
    connection.refusing = true;
    connection.paused &&= false;
    connection.endedAt = connection.idleSince = performance.now();
    connection.bytesRead = socket.bytesRead;
    socket.end();
    socket.resume();
  }

  /** Whether nothing is under way, and no part of a request has come that is not answered. */
  const isIdle = (socket: Socket, { unanswered, refusing, latest, bytesRead }: Connection) =>
    unanswered === 0 && !refusing && (latest !== undefined || socket.bytesRead === bytesRead);

  function makeRoom(): void {
    const idle = [...connections].filter(([socket, connection]) => isIdle(socket, connection));
    idle.sort(([, a], [, b]) => a.idleSince - b.idleSince);
    for (const [socket] of idle.slice(0, Math.ceil(max * ROOM))) {
      socket.destroy();
      connections.delete(socket);
    }
  }

  function look(): void {
    const now = performance.now();
    let unsent = 0;
    const reading: Socket[] = [];
    for (const [socket, connection] of connections) {
      const { unanswered, answeringSince, endedAt } = connection;
      if (endedAt !== undefined) lingerOn(socket, connection, endedAt);
      if (unanswered > 0 && now - answeringSince > answerMs) socket.destroy();
      if (socket.destroyed || socket.writableLength === 0) continue;
      unsent += socket.writableLength;
      reading.push(socket);
    }
    if (unsent <= maxUnsent) return;
    for (const socket of reading.sort((a, b) => b.writableLength - a.writableLength)) {
      unsent -= socket.writableLength;
      socket.destroy();
      if (unsent <= maxUnsent) break;
    }
  }

  function lingerOn(socket: Socket, connection: Connection, endedAt: number): void {
    const now = performance.now();
    if (!socket.writableFinished || socket.bytesRead !== connection.bytesRead) {
      connection.bytesRead = socket.bytesRead;
      connection.idleSince = now;
    }
    if (now - connection.idleSince > LINGER_MS || now - endedAt > LONGEST_LINGER_MS) socket.destroy();
  }

  /** Reads on when there is room again. Until then nothing else makes Node read, such as who wants a request's body. */
  function pause(socket: Socket, connection: Connection): void {
    // Behind Node's own, which begins to read.
    if (connection.paused === undefined) socket.on('resume', () => connection.paused && socket.pause());
    connection.paused = true;
    socket.pause();
  }

  function answered(socket: Socket, connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    const now = performance.now();
    connection.queued.delete(res);
    if (--connection.unanswered > 0) connection.answeringSince = now;
    else connection.idleSince = now;
    const over = () => {
      connection.bytesRead = socket.bytesRead;
      if (connection.latest?.req === req) connection.latest = undefined;
    };
    if (req.complete) over();
    else req.once('end', over);
    const next = connection.held.shift();
    if (next) next();
    else if (connection.paused) {
      connection.paused = false;
      socket.resume();
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
      const now = performance.now();
      const connection: Connection = {
        ...{ requests: 0, unanswered: 0, latest: undefined, queued: new Set(), held: [], paused: undefined },
        ...{ idleSince: now, answeringSince: now, bytesRead: 0, refusing: false, endedAt: undefined },
      };
      connections.set(socket, connection);
      // What Node calls after the last answer.
      socket.destroySoon = () => end(socket);
      socket.once('close', () => {
        connections.delete(socket);
        connection.held = [];
        for (const res of connection.queued) res.emit('close');
        if (connections.size > 0) return;
        clearInterval(looking);
        looking = undefined;
      });
    },
    begin(req, res, serve) {
      const { socket } = req;
      const connection = connections.get(socket);
      if (!connection || connection.refusing) {
        req.resume();
        return;
      }
      connection.requests++;
      connection.latest = { req, res };
      if (connection.unanswered++ === 0) connection.answeringSince = performance.now();
      if (!res.socket) connection.queued.add(res);
      res.once('close', () => answered(socket, connection, req, res));
      if (connection.unanswered <= maxPipelined) {
        serve();
        return;
      }
      connection.held.push(serve);
      pause(socket, connection);
    },
    async endAll(deadline) {
      const began = performance.now();
      while (connections.size > 0 && Date.now() < deadline) {
        const now = performance.now();
        for (const [socket, connection] of connections) {
          const { idleSince, endedAt } = connection;
          if (now - Math.max(idleSince, began) > SILENT_MS && isIdle(socket, connection)) end(socket);
          if (endedAt === undefined || !socket.writableFinished) continue;
          if (now - Math.max(endedAt, began) > LAST_LINGER_MS) socket.destroy();
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
