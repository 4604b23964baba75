import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const lockOf = (path: string) => `${path}.lock`;

/** Claims a journal for this process; one whose process has died is free. */
export function lock(path: string): boolean {
  for (;;) {
    try {
      writeFileSync(lockOf(path), String(process.pid), { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(readOwner(path));
    if (holder > 0 && isAlive(holder)) return false;
    rmSync(lockOf(path), { force: true });
  }
}

/** Gives it free again. */
export const unlock = (path: string) => rmSync(lockOf(path), { force: true });

function readOwner(path: string): string {
  try {
    return readFileSync(lockOf(path), 'utf8');
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
