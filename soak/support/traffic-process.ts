import { connect, type Socket } from 'node:net';
import { createResponseReader } from '../../tests/support/http/responses.ts';
import { serveJob } from '../../tests/support/load/helper.ts';
import { type Answered, FINGERPRINT, MANNERS, type Manner, type Traffic } from './traffic.ts';

const DEPTH = 4;
const REPORT_MS = 50;
/** One of this many requests is a push. */
const PUSH_EVERY = 2;

serveJob<Traffic, Answered, number>(async (traffic, { report }) => {
  const result: Answered = { answered: 0, failed: {}, resets: {}, toRepeat: 0, acknowledged: [] };
  setInterval(() => report(result.answered), REPORT_MS);
  const clients = MANNERS.flatMap((manner) =>
    Array.from({ length: traffic.connections[manner] }, () => use(traffic, manner, result)),
  );
  await Promise.all(clients);
  return result;
});

interface Request {
  text: string;
  fingerprint?: string;
}

/** One connection after the other, until the server refuses them. */
async function use(traffic: Traffic, manner: Manner, result: Answered): Promise<void> {
  const next = requests(traffic, manner);
  for (;;) {
    const socket = await open(traffic.url);
    if (!socket) return;
    await converse(socket, manner, next, result);
  }
}

let pushes = 0;

function requests({ reads, list, push, run }: Traffic, manner: Manner): () => Request {
  let count = Math.floor(Math.random() * 100);
  return () => {
    count++;
    if (manner === 'whole lists') return { text: list };
    if (manner !== 'chunked' && count % PUSH_EVERY > 0)
      return { text: reads[count % reads.length] as string };
    const fingerprint = `${run}${`${++pushes}`.padStart(FINGERPRINT.length - run.length, '0')}`;
    const body = push.body.replace(FINGERPRINT, fingerprint);
    const text =
      manner === 'chunked'
        ? `${push.head}transfer-encoding: chunked\r\n\r\n${chunks(body)}`
        : `${push.head}content-length: ${body.length}\r\n\r\n${body}`;
    return { text, fingerprint };
  };
}

function chunks(body: string): string {
  const parts = body.match(/.{1,100}/gs) ?? [];
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
}

/** Resolves with undefined when the connection is refused. */
function open(url: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** Sends requests on a connection until it ends. */
function converse(socket: Socket, manner: Manner, next: () => Request, result: Answered): Promise<void> {
  const reader = createResponseReader();
  const sent: Request[] = [];
  let last = false;
  const send = () => {
    const request = next();
    sent.push(request);
    // Bodies in two pieces, so that the server has half of a request for a while.
    const half = manner === 'chunked' ? request.text.length - 200 : request.text.length;
    socket.write(request.text.slice(0, half), 'latin1');
    if (half < request.text.length) setImmediate(() => socket.write(request.text.slice(half), 'latin1'));
  };
  return new Promise((resolve) => {
    let problem = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      reader.read(chunk, (response) => {
        const request = sent.shift();
        result.answered++;
        if (response.status >= 300) count(result.failed, `${response.status}`);
        else if (request?.fingerprint) result.acknowledged.push(request.fingerprint);
        last ||= response.last;
        if (last || manner === 'new for each') socket.end();
        else send();
      });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      problem = error.code ?? error.message;
    });
    socket.on('close', () => {
      if (last && !reader.inside()) result.toRepeat += sent.length;
      else if (sent.length > 0) {
        count(
          result.resets,
          `${manner}: ${problem || 'closed'}${reader.inside() ? ' within an answer' : ''}`,
        );
      }
      resolve();
    });
    for (let i = 0; i < (manner === 'pipelined' ? DEPTH : 1); i++) send();
  });
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
