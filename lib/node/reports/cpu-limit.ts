import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** A tick of /proc. */
const TICK_MS = 10;
const UTIME = 11;
const STIME = 12;

/** The processor time of a process in milliseconds; undefined if it has ended, or the system has no /proc. */
async function cpuMsOf(pid: number | undefined): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name of the process, in parentheses, may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[UTIME]) + Number(fields[STIME])) * TICK_MS;
  } catch {
    return undefined;
  }
}

const CHECK_MS = 200;

/**
 * Kills a process that uses more processor time from now on. Time that it waits for a processor does not count. Without
 * /proc, all time counts.
 */
export function limitCpu(child: ChildProcess, limitMs: number) {
  const read = async () => ({ cpu: await cpuMsOf(child.pid), wall: performance.now() });
  const start = read();
  let limit = limitMs;
  let exceeded: number | undefined;
  let isWaiting = false;
  const check = async () => {
    const [before, now] = await Promise.all([start, read()]);
    if (before.cpu === undefined && isWaiting) return;
    const used = before.cpu === undefined ? now.wall - before.wall : (now.cpu ?? 0) - before.cpu;
    if (used <= limit) return;
    exceeded ??= limit;
    child.kill('SIGKILL');
  };
  const timer = setInterval(check, CHECK_MS);
  return {
    /** The limit that the process has exceeded. */
    exceeded: () => exceeded,
    allow(ms: number) {
      limit = ms;
    },
    /** From now on, the process mostly waits for the server, which only its processor time tells apart. */
    hasRead() {
      isWaiting = true;
    },
    stop: () => clearInterval(timer),
  };
}
