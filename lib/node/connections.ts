import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Limits the connections of an HTTP server, and ends them without losing data that the client has not read yet. */
export interface Connections {
  add(socket: Socket): void;
  /**
   * Registers a request. Calls `serve` immediately, or when the connection has fewer than `maxPipelined` requests. Never calls
   * it if the connection is ending.
   */
  begin(req: IncomingMessage, res: ServerResponse, serve: () => void): void;
  get(socket: Socket): Connection | undefined;
  /**
   * Ends a connection after everything written is sent. Further input is read and dropped. If it were left unread, the system
   * would reset the connection, and the client would lose data that it has not read yet.
   */
  end(socket: Socket): void;
  /**
   * Ends all connections after their current responses, or when they are idle.
   * @returns how many requests were not answered by the deadline; their connections are aborted
   */
  endAll(deadline: number): Promise<number>;
}

export interface Connection {
  /** Total number of requests. */
  requests: number;
  unanswered: number;
  /** The latest request, until it is complete and answered. */
  latest: { req: IncomingMessage; res: ServerResponse } | undefined;
  /** Pipelined responses that wait for an earlier one. Node emits no `close` for them when the connection ends. */
  queued: Set<ServerResponse>;
  /** Requests beyond `maxPipelined`. */
  held: (() => void)[];
  /** Whether reading is paused because of `maxPipelined`; undefined when it never was. */
  paused: boolean | undefined;
  /** Since when no request is in progress. */
  idleSince: number;
  /** Since when the oldest response is in progress. */
  answeringSince: number;
  /** Bytes read when the latest request ended. */
  bytesRead: number;
  /** Further requests are dropped. */
  refusing: boolean;
  /** When the server ended the connection. */
  endedAt: number | undefined;
}

export interface ConnectionLimits {
  /** Open connections. Beyond, the longest idle ones are closed. */
  max: number;
  /** Requests of one connection that are served at a time. While it has more, nothing is read from it. */
  maxPipelined: number;
  /** Bytes of all responses that wait for their clients. Beyond, the connections with the most are aborted. */
  maxUnsent: number;
  /** Timeout of a response until the client has read it. */
  answerMs: number;
}

/** An ended connection is closed after this time without input, or after the longer time in any case. */
const LINGER_MS = 5_000;
const LONGEST_LINGER_MS = 30_000;
/** The same time while the server stops. */
const LAST_LINGER_MS = 1_000;
/** While the server stops, a connection without input for this time is idle. */
const SILENT_MS = 500;
const CHECK_INTERVAL_MS = 1_000;
/** The fraction of `max` that is closed at a time when there are too many connections. */
const EVICTED_FRACTION = 0.01;

export function createConnections(limits: ConnectionLimits): Connections {
  const { max, maxPipelined, maxUnsent, answerMs } = limits;
  const connections = new Map<Socket, Connection>();
  let checkTimer: NodeJS.Timeout | undefined;

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

  /** Whether all requests are answered and no part of another one has arrived. */
  const isIdle = (socket: Socket, { unanswered, refusing, latest, bytesRead }: Connection) =>
    unanswered === 0 && !refusing && (latest !== undefined || socket.bytesRead === bytesRead);

  function evictIdle(): void {
    const idle = [...connections].filter(([socket, connection]) => isIdle(socket, connection));
    idle.sort(([, a], [, b]) => a.idleSince - b.idleSince);
    for (const [socket] of idle.slice(0, Math.ceil(max * EVICTED_FRACTION))) {
      socket.destroy();
      connections.delete(socket);
    }
  }

  function enforceLimits(): void {
    const now = performance.now();
    let unsent = 0;
    const sending: Socket[] = [];
    for (const [socket, connection] of connections) {
      const { unanswered, answeringSince, endedAt } = connection;
      if (endedAt !== undefined) closeAfterLinger(socket, connection, endedAt);
      if (unanswered > 0 && now - answeringSince > answerMs) socket.destroy();
      if (socket.destroyed || socket.writableLength === 0) continue;
      unsent += socket.writableLength;
      sending.push(socket);
    }
    if (unsent <= maxUnsent) return;
    for (const socket of sending.sort((a, b) => b.writableLength - a.writableLength)) {
      unsent -= socket.writableLength;
      socket.destroy();
      if (unsent <= maxUnsent) break;
    }
  }

  function closeAfterLinger(socket: Socket, connection: Connection, endedAt: number): void {
    const now = performance.now();
    if (!socket.writableFinished || socket.bytesRead !== connection.bytesRead) {
      connection.bytesRead = socket.bytesRead;
      connection.idleSince = now;
    }
    if (now - connection.idleSince > LINGER_MS || now - endedAt > LONGEST_LINGER_MS) socket.destroy();
  }

  /** Stops reading from a connection until `answered` resumes it. */
  function pause(socket: Socket, connection: Connection): void {
    // Node resumes the socket when a request's body is read. This listener runs after Node's own and pauses it again.
    if (connection.paused === undefined) socket.on('resume', () => connection.paused && socket.pause());
    connection.paused = true;
    socket.pause();
  }

  function answered(socket: Socket, connection: Connection, req: IncomingMessage, res: ServerResponse): void {
    const now = performance.now();
    connection.queued.delete(res);
    if (--connection.unanswered > 0) connection.answeringSince = now;
    else connection.idleSince = now;
    const onComplete = () => {
      connection.bytesRead = socket.bytesRead;
      if (connection.latest?.req === req) connection.latest = undefined;
    };
    if (req.complete) onComplete();
    else req.once('end', onComplete);
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
      if (connections.size >= max) evictIdle();
      if (connections.size >= max) {
        socket.destroy();
        return;
      }
      checkTimer ??= setInterval(enforceLimits, CHECK_INTERVAL_MS).unref();
      const now = performance.now();
      const connection: Connection = {
        ...{ requests: 0, unanswered: 0, latest: undefined, queued: new Set(), held: [], paused: undefined },
        ...{ idleSince: now, answeringSince: now, bytesRead: 0, refusing: false, endedAt: undefined },
      };
      connections.set(socket, connection);
      // Node calls this method after the last response.
      socket.destroySoon = () => end(socket);
      socket.once('close', () => {
        connections.delete(socket);
        connection.held = [];
        for (const res of connection.queued) res.emit('close');
        if (connections.size > 0) return;
        clearInterval(checkTimer);
        checkTimer = undefined;
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
      let aborted = 0;
      for (const [socket, { unanswered }] of connections) {
        aborted += unanswered;
        socket.destroy();
      }
      return aborted;
    },
  };
}
