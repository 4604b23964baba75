import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Folder } from './folder.ts';

const lockName = (name: string) => `${name}.lock`;

/** Identifies a process in a lock file, with its start time because process ids are reused, above all in containers. */
const ownerOf = (pid: number): string => `${hostname()} ${pid} ${startTimeOf(pid)}`;

/** The fields of a process behind its name (proc(5)); empty if it has exited or the system has no /proc. */
function fieldsOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name, in parentheses, may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** The start time of a process in clock ticks since boot; empty if unknown. */
const startTimeOf = (pid: number): string => fieldsOf(pid)[19] ?? '';

/** Whether a process has exited but its parent has not noticed. A container without init keeps it for ever. */
const isZombie = (pid: number): boolean => ['Z', 'X', 'x'].includes(fieldsOf(pid)[0] ?? '');

/** After this many attempts, a lock that cannot be removed, such as another user's, counts as held. */
const MAX_ATTEMPTS = 100;

/** Locks a file for this process. @returns false if a running process holds the lock */
export function lock(folder: Folder, name: string): boolean {
  const temporary = folder.pathOf(`${name}.${randomUUID()}`);
  // `wx` fails if the path exists, also as a link.
  writeFileSync(temporary, ownerOf(process.pid), { flag: 'wx' });
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      try {
        // Linking creates the lock atomically with its content.
        linkSync(temporary, folder.pathOf(lockName(name)));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const owner = readOwner(folder, lockName(name));
      if (isHeld(owner)) return false;
      removeStaleLock(folder, name, owner);
    }
    return false;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Removes a lock whose owner has exited, but not a lock that replaced it in the meantime. */
function removeStaleLock(folder: Folder, name: string, owner: string): void {
  const renamed = `${name}.${randomUUID()}`;
  try {
    // Renaming and removing a symbolic link do not affect its target.
    renameSync(folder.pathOf(lockName(name)), folder.pathOf(renamed));
    if (readOwner(folder, renamed) !== owner) linkSync(folder.pathOf(renamed), folder.pathOf(lockName(name)));
  } catch {
    // Another process has removed it already.
  }
  rmSync(folder.pathOf(renamed), { force: true });
}

export function unlock(folder: Folder, name: string): void {
  if (readOwner(folder, lockName(name)) === ownerOf(process.pid)) {
    rmSync(folder.pathOf(lockName(name)), { force: true });
  }
}

function isHeld(owner: string): boolean {
  const pid = Number(owner.split(' ')[1]);
  return pid > 0 && owner === ownerOf(pid) && isAlive(pid);
}

const MAX_LOCK_BYTES = 1_000;

/** The owner in a lock file; empty if the file is not a regular lock file, such as a symbolic link. */
function readOwner(folder: Folder, name: string): string {
  try {
    return folder.read(name, MAX_LOCK_BYTES) ?? '';
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  if (isZombie(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
