import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/* Facts about processes from /proc. On systems without it the figures are NaN, and processes have no descendants. */

const TICKS_PER_SECOND = 100;

const read = (pid: number | string, file: string) =>
  readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => undefined);

/** The fields of /proc/<pid>/stat after the command in parentheses: state, parent and so on. */
async function statOf(pid: number | string): Promise<string[] | undefined> {
  const stat = await read(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** User and system time of a process, in seconds. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const fields = (await statOf(pid)) ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** User and system time of a process and of the processes that it has started, those that have exited included, in seconds. */
export async function treeCpuSecondsOf(pid: number): Promise<number> {
  let ticks = 0;
  for (const id of [pid, ...(await descendantsOf(pid))]) {
    const fields = (await statOf(id)) ?? [];
    // The last two are those of exited children that the process has waited for.
    for (const field of [11, 12, 13, 14]) ticks += Number(fields[field] ?? 0);
  }
  return ticks / TICKS_PER_SECOND;
}

/** Resident memory of a process, in MiB. */
export async function memoryOf(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec((await read(pid, 'status')) ?? '')?.[1]) / 1024;
}

/** The processes that a process has started, and those that these have started. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc').catch(() => [])) {
    const parent = Number(name) && (await statOf(name))?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  // Grows while it is read.
  for (const ancestor of found) {
    for (const [child, parent] of parents) if (parent === ancestor) found.push(child);
  }
  return found.slice(1);
}

/** Samples a value until the returned function is called, which resolves with the highest one. */
export function watchPeak(read: () => Promise<number>, everyMs: number): () => Promise<number> {
  let peak = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const watched = (async () => {
    do {
      peak = Math.max(peak, await read());
      await sleep(everyMs);
    } while (!isOver);
    peak = Math.max(peak, await read());
  })();
  return async () => {
    isOver = true;
    await watched;
    return peak;
  };
}

/** Sends a signal to a process that may have exited. */
export function kill(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    if (pid) process.kill(pid, signal);
  } catch {
    // It has exited.
  }
}

/** A free port of loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether a process exists and is no zombie. */
export async function isRunning(pid: number): Promise<boolean> {
  return /[^ZX]/.test((await statOf(pid))?.[0] ?? 'X');
}
