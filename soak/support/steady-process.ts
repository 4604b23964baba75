import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { MARK } from '../../tests/support/load/load.ts';
import type { SteadyKind, SteadyLoad, SteadyWindow } from './steady.ts';

// Clients have machines of their own: their waiting for a processor is no delay of the service.
try {
  setPriority(-20);
} catch {
  // Only the superuser may.
}

const TICK_MS = 4;
/** Whoever is not answered by then never is. */
const LAST_ANSWER_MS = 40_000;

let load: SteadyLoad;
let count = 0;
const idle: Socket[] = [];

process.on('message', (message: SteadyLoad | { seconds: number }) => {
  if ('origin' in message) load = message;
  else void observe(message.seconds).then((window) => process.send?.(window));
});

/** Sends requests at the times they are due, whether or not those before are answered. */
async function observe(seconds: number): Promise<SteadyWindow> {
  const window: SteadyWindow = { read: [], push: [], errors: {} };
  const began = performance.now();
  const answers: Promise<void>[] = [];
  const sent = { read: 0, push: 0 };
  for (let now = began; now < began + seconds * 1_000; now = performance.now()) {
    for (const kind of ['read', 'push'] as const) {
      const due = Math.floor(((now - began) / 1_000) * load.perSecond[kind]);
      while (sent[kind] < due) {
        sent[kind]++;
        answers.push(ask(kind, window));
      }
    }
    await sleep(TICK_MS);
  }
  await Promise.all(answers);
  return window;
}

async function ask(kind: SteadyKind, window: SteadyWindow): Promise<void> {
  const began = performance.now();
  const outcome = await send(load.requests[kind]).catch((error: Error) => error.message);
  if (outcome === load.status[kind]) window[kind].push(performance.now() - began);
  else window.errors[`${kind}: ${outcome}`] = (window.errors[`${kind}: ${outcome}`] ?? 0) + 1;
}

function send(requests: readonly string[]): Promise<number> {
  const text = requests[++count % requests.length] as string;
  const mark = `${load.run}${`${count}`.padStart(MARK.length - load.run.length, '0')}`;
  return new Promise((resolve, reject) => {
    const socket = idleSocket() ?? open();
    let received = '';
    const late = setTimeout(() => {
      end();
      socket.destroy();
      reject(new Error('no answer'));
    }, LAST_ANSWER_MS);
    const end = () => {
      clearTimeout(late);
      socket.removeAllListeners('data').removeAllListeners('error').removeAllListeners('close');
      socket.on('error', () => {});
    };
    socket.on('data', (chunk: string) => {
      received += chunk;
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
      if (received.length < headEnd + 4 + length) return;
      end();
      idle.push(socket);
      resolve(Number(received.slice(9, 12)));
    });
    socket.on('error', (error) => {
      end();
      reject(error);
    });
    socket.on('close', () => {
      end();
      reject(new Error('closed'));
    });
    socket.write(text.replaceAll(MARK, mark));
  });
}

function open(): Socket {
  const { hostname, port } = new URL(load.origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  // One character for each byte.
  socket.setEncoding('latin1');
  return socket;
}

/** One that the server has not closed meanwhile. */
function idleSocket(): Socket | undefined {
  for (let socket = idle.pop(); socket; socket = idle.pop())
    if (!socket.destroyed && socket.writable && !socket.readableEnded) return socket;
  return undefined;
}
