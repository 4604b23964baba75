import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Folder } from './folder.ts';

const lockOf = (name: string) => `${name}.lock`;

/** This process as a lock names it. Other processes get the same id sooner or later, in containers above all. */
const claimOf = (pid: number): string => `${hostname()} ${pid} ${startOf(pid)}`;

/** When a process was started, in the system's own count; empty where that cannot be told. */
function startOf(pid: number): string {
  let stat = '';
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // The process has ended, or the system has no /proc.
  }
  // The name before it, in parentheses, may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** A lock that cannot be removed, such as another user's, counts as held. */
const MAX_ATTEMPTS = 100;

/** Claims a file of a folder for this process. @returns false when a living process holds it */
export function lock(folder: Folder, name: string): boolean {
  const own = folder.at(`${name}.${randomUUID()}`);
  // `wx` creates the file or fails; it follows no link.
  writeFileSync(own, claimOf(process.pid), { flag: 'wx' });
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        // The lock appears with its content, or not at all.
        linkSync(own, folder.at(lockOf(name)));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = read(folder, lockOf(name));
      if (isHeld(holder)) return false;
      takeAway(folder, name, holder);
    }
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes a lock whose holder has died, and no other that came in its place. */
function takeAway(folder: Folder, name: string, holder: string): void {
  const taken = `${name}.${randomUUID()}`;
  try {
    // Renaming and removing a symbolic link leave its target alone.
    renameSync(folder.at(lockOf(name)), folder.at(taken));
    if (read(folder, taken) !== holder) linkSync(folder.at(taken), folder.at(lockOf(name)));
  } catch {
    // Another process has removed it already.
  }
  rmSync(folder.at(taken), { force: true });
}

/** Releases a file. */
export function unlock(folder: Folder, name: string): void {
  if (read(folder, lockOf(name)) === claimOf(process.pid)) {
    rmSync(folder.at(lockOf(name)), { force: true });
  }
}

function isHeld(holder: string): boolean {
  const pid = Number(holder.split(' ')[1]);
  return pid > 0 && holder === claimOf(pid) && isAlive(pid);
}

const MAX_CLAIM_BYTES = 1_000;

/** The claim in a lock; empty when the file is not an agent's, such as a symbolic link. */
function read(folder: Folder, name: string): string {
  try {
    return folder.read(name, MAX_CLAIM_BYTES) ?? '';
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
