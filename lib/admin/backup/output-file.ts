import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AdminError, oneLine, reasonOf } from '../error.ts';

/** File systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Writes a file that only its owner can read. Until it is complete it has another name; nothing is left of it if the process
 * ends before.
 * @throws AdminError if the file exists, unless `force` is set
 */
export async function writeFileSafely<T>(
  path: string,
  force: boolean,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const exists = () =>
    new AdminError(`${oneLine(path)} exists: choose another file, or overwrite it with --force`);
  if (!force && (await lstat(path).catch(() => undefined))) throw exists();
  const partial = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  const cannot = (error: unknown) => new AdminError(`${oneLine(path)} cannot be written: ${reasonOf(error)}`);
  const file = await open(partial, 'wx', 0o600).catch((error) => {
    throw cannot(error);
  });
  const remove = () => rmSync(partial, { force: true });
  // A signal ends the process while the file is written.
  process.once('exit', remove);
  try {
    const result = await write(file);
    await file.sync().catch((error) => {
      throw cannot(error);
    });
    await file.close();
    await publish(partial, path, force).catch((error) => {
      throw error.code === 'EEXIST' ? exists() : cannot(error);
    });
    return result;
  } finally {
    await file.close().catch(() => {});
    await rm(partial, { force: true });
    process.off('exit', remove);
  }
}

/** Gives the file its name. A link, unlike a renaming, fails if another process has made the file meanwhile. */
async function publish(partial: string, path: string, force: boolean): Promise<void> {
  if (force) return await rename(partial, path);
  try {
    await link(partial, path);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await rename(partial, path);
  }
}
