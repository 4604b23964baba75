import { execFile } from 'node:child_process';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createWireClient, type WireClient } from '../http/wire-client.ts';
import { serveJob } from './helper.ts';
import { type Load, MARK, markText, type Sent, type Stream } from './load.ts';

const TICK_MS = 4;
const PAUSE_MS = 10;

interface Clock {
  isOver(): boolean;
  /** Breaks requests off; undefined when the last ones are waited for. */
  ended?: Promise<void>;
}

/**
 * A process of the lowest niceness still keeps a processor for some milliseconds, once Linux has given it one. Only the policy
 * SCHED_IDLE makes it leave at once, see sched(7); Node cannot set it, and Linux has a command for it.
 */
async function setPriorityOf(priority: 'first' | 'last'): Promise<void> {
  try {
    setPriority(priority === 'first' ? -20 : 19);
  } catch {
    // Only the superuser may raise it.
  }
  if (priority === 'last')
    await promisify(execFile)('chrt', ['--all-tasks', '--idle', '--pid', '0', `${process.pid}`]).catch(
      () => {},
    );
}

serveJob<Load, Record<string, Sent>, true>(async (load, { signal, report }) => {
  const { streams, priority, seconds = Number.POSITIVE_INFINITY, breaksOff } = load;
  if (priority) await setPriorityOf(priority);
  const end = performance.now() + seconds * 1_000;
  const isOver = () => signal.aborted || performance.now() >= end;
  const clock = { isOver, ...(breaksOff && { ended: sleep(seconds * 1_000) }) };
  report(true);
  const all = Object.entries(streams);
  const sent = all.map(async ([name, stream], i) => [
    name,
    await sendStream(load, stream, i / all.length, clock),
  ]);
  return Object.fromEntries(await Promise.all(sent));
});

/** @param phase of the first request, so that streams of the same rate alternate */
async function sendStream(load: Load, stream: Stream, phase: number, clock: Clock): Promise<Sent> {
  const { url } = load;
  const next = textsOf(stream, load);
  const began = performance.now();
  const others: Record<string, number> = {};
  const times: number[] = [];
  let slowestMs = 0;
  const send = async (client: WireClient) => {
    const sentAt = performance.now();
    const outcome = await outcomeOf(client, next(), clock);
    const ms = performance.now() - sentAt;
    slowestMs = Math.max(slowestMs, ms);
    if (outcome === `${stream.status}`) times.push(ms);
    else others[outcome] = (others[outcome] ?? 0) + 1;
    return outcome;
  };
  if ('connections' in stream) await closedLoop(url, stream.connections, clock, send);
  else await constantRate(url, stream.perSecond, phase, clock, send);
  const seconds = (performance.now() - began) / 1_000;
  return { times: Float64Array.from(times), others, slowestMs, seconds };
}

function textsOf({ requests }: Stream, { run = '', distinct }: Pick<Load, 'run' | 'distinct'>): () => string {
  const templates = requests.map((request) => request.split(MARK));
  let count = 0;
  return () => {
    const pieces = templates[++count % templates.length] as string[];
    return pieces.length === 1 ? `${pieces[0]}` : pieces.join(markText(run, count, distinct));
  };
}

async function outcomeOf(client: WireClient, text: string, { ended }: Clock): Promise<string> {
  try {
    const exchanged = client.exchange(text);
    const response = await (ended ? Promise.race([exchanged, ended]) : exchanged);
    if (!response) {
      exchanged.catch(() => {});
      return 'left at the end';
    }
    const { status, body } = response;
    return status < 400 ? `${status}` : `${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`.trim();
  } catch (error) {
    return (error as Error).message;
  }
}

type Send = (client: WireClient) => Promise<string>;

async function closedLoop(url: string, connections: number, { isOver }: Clock, send: Send): Promise<void> {
  const converse = async () => {
    const client = createWireClient(url);
    while (!isOver()) {
      const outcome = await send(client);
      // Nobody answers: do not spin.
      if (!/^\d/.test(outcome)) await sleep(PAUSE_MS);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, converse));
}

async function constantRate(
  url: string,
  perSecond: number,
  phase: number,
  { isOver }: Clock,
  send: Send,
): Promise<void> {
  const idle: WireClient[] = [];
  const underWay: Promise<void>[] = [];
  const began = performance.now();
  for (let count = 0; !isOver(); await sleep(TICK_MS)) {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond + phase);
    for (; count < due; count++) {
      const client = idle.pop() ?? createWireClient(url);
      underWay.push(send(client).then(() => void idle.push(client)));
    }
  }
  await Promise.all(underWay);
  for (const client of idle) client.close();
}
