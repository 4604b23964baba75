import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveJob } from '../../tests/support/load/helper.ts';
import type { AttackPlan, AttackProgress } from './attack.ts';

/** New connections at the same time, fewer than the server's listen queue holds. */
const AT_ONCE = 100;
const BYTE_MS = 1_000;
const TRICKLE_MS = 500;
const AGAIN_MS = 500;
const GONE_MS = 20;
const REPORT_MS = 250;

let lost = 0;

serveJob<AttackPlan, never, AttackProgress>(async (plan, { report }) => {
  for (let made = 0; made < plan.connections; made += AT_ONCE) {
    const count = Math.min(AT_ONCE, plan.connections - made);
    await Promise.all(Array.from({ length: count }, () => begin(plan)));
  }
  report({ lost });
  setInterval(() => report({ lost }), REPORT_MS);
  return new Promise(() => {});
});

/** Resolves when the connection is open. */
function begin(plan: AttackPlan): Promise<void> {
  const { hostname, port } = new URL(plan.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('connect', () => {
      behave(plan, socket);
      resolve();
    });
    socket.once('close', () => {
      lost++;
      resolve();
      void sleep(AGAIN_MS).then(() => begin(plan));
    });
  });
}

function behave({ name, request }: AttackPlan, socket: Socket): void {
  const headEnd = request.indexOf('\r\n\r\n') + 4;
  if (name === 'slow head') slowly(socket, request, 10);
  else if (name === 'slow body') slowly(socket, request, headEnd);
  else if (name === 'gone in the request') {
    socket.write(request.slice(0, -10), () => setTimeout(() => socket.resetAndDestroy(), GONE_MS));
  } else {
    socket.write(request);
    if (name === 'idle') socket.resume();
    if (name === 'gone in the answer') socket.once('data', () => socket.resetAndDestroy());
    if (name === 'trickling reader') trickle(socket);
  }
}

function slowly(socket: Socket, request: string, begun: number): void {
  let sent = begun;
  socket.resume();
  socket.write(request.slice(0, sent));
  const timer = setInterval(() => socket.write(request[sent++ % request.length] as string), BYTE_MS);
  socket.once('close', () => clearInterval(timer));
}

function trickle(socket: Socket): void {
  socket.on('data', () => socket.pause());
  const timer = setInterval(() => socket.resume(), TRICKLE_MS);
  socket.once('close', () => clearInterval(timer));
}
