import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

const lockOf = (path: string) => `${path}.lock`;

/** This process as a lock names it: a process id alone is soon another process's, in containers above all. */
const claimOf = (pid: number): string => `${hostname()} ${pid} ${startOf(pid)}`;

/** When a process was started, in the system's own count; empty where that cannot be told. */
function startOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  // The name before it, in parentheses, may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Claims a file for this process. @returns whether it got it; no when a process that lives has it */
export function lock(path: string): boolean {
  const own = `${path}.${randomUUID()}`;
  writeFileSync(own, claimOf(process.pid));
  try {
    for (;;) {
      try {
        // Appears with its content, or not at all.
        linkSync(own, lockOf(path));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = read(lockOf(path));
      if (isHeld(holder)) return false;
      takeAway(path, holder);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes a lock whose holder has died, and no other that came in its place. */
function takeAway(path: string, holder: string): void {
  const taken = `${path}.${randomUUID()}`;
  try {
    renameSync(lockOf(path), taken);
    if (read(taken) !== holder) linkSync(taken, lockOf(path));
  } catch {
    // Somebody else was faster.
  }
  rmSync(taken, { force: true });
}

/** Gives a file free again. */
export function unlock(path: string): void {
  if (read(lockOf(path)) === claimOf(process.pid)) rmSync(lockOf(path), { force: true });
}

function isHeld(holder: string): boolean {
  const pid = Number(holder.split(' ')[1]);
  return pid > 0 && holder === claimOf(pid) && isAlive(pid);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, but somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
