import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents. `mkdir` with `recursive` never returns if a parent exists and a directory in it can neither
 * be found nor created, as in `/proc`.
 * @returns whether it is new
 */
export async function createDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found?.isDirectory()) return false;
  if (dirname(path) !== path) await createDirectory(dirname(path));
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || found) throw error;
    return false;
  }
}
