import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '../../db/embedded/directory.ts';
import { ConfigError } from '../config/parse.ts';
import type { LogFields } from '../logger.ts';

/*
 * Random secrets that a server makes once and keeps in files of the data directory, readable for its user only.
 */

/** @returns undefined when it was never made @throws ConfigError when the file cannot be read or is damaged */
export async function readSecret(dataDir: string, name: string): Promise<string | undefined> {
  const file = join(dataDir, name);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new ConfigError(`${file}: cannot be read (${error.code})`);
  });
  if (text === undefined) return undefined;
  const secret = text.trim();
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new ConfigError(`${file}: is damaged; restore it, or remove it and lose what depends on it`);
  return secret;
}

/**
 * Makes a secret unless another process has made it.
 * @param onFailure called when it cannot be kept
 */
export async function makeSecret(
  dataDir: string,
  name: string,
  onFailure: (fields: LogFields) => void,
): Promise<string | undefined> {
  const file = join(dataDir, name);
  try {
    await make(dataDir, file);
  } catch (error) {
    onFailure({ file, error });
    return undefined;
  }
  return readSecret(dataDir, name);
}

/** Complete or not there at all, also when several processes make it at once: the first one's stays. */
async function make(dataDir: string, file: string): Promise<void> {
  await createDirectory(dataDir);
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(temporary);
  }
}
