import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '../../db/embedded/directory.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/parse.ts';
import type { Logger } from '../logger.ts';

const NAME = 'mail.key';

/**
 * The secret that seals queued mails while neither `SVC_ENCRYPTION_KEY` nor `JWT_SECRET` is set: kept in a file of the data
 * directory, so that a restart loses no mail. Once there, it is read for the mails it sealed, whatever is set since.
 * @returns undefined when it is not needed and was never made, or cannot be kept
 */
export async function readMailSecret(
  { dataDir, encryptionKeys, jwtSecrets }: Pick<Config, 'dataDir' | 'encryptionKeys' | 'jwtSecrets'>,
  log: Pick<Logger, 'warn'>,
): Promise<string | undefined> {
  const file = join(dataDir, NAME);
  const found = await read(file);
  if (found !== undefined || encryptionKeys.length > 0 || jwtSecrets.length > 0) return found;
  try {
    await make(dataDir, file);
  } catch (error) {
    log.warn(
      'the key of queued mails cannot be kept: mails that are not sent when the server stops are lost',
      {
        file,
        error,
      },
    );
    return undefined;
  }
  return read(file);
}

async function read(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new ConfigError(`${file}: cannot be read (${error.code})`);
  });
  if (text === undefined) return undefined;
  const secret = text.trim();
  if (!/^[0-9a-f]{64}$/.test(secret)) {
    throw new ConfigError(`${file}: is damaged; restore it, or remove it and lose the mails that wait`);
  }
  return secret;
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
