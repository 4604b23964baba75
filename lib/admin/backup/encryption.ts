import { type FileHandle, open, stat } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';
import { AdminError, oneLine } from '../error.ts';
import type { BackupKey } from './keys.ts';

/*
 * A backup is encrypted in the format of age (https://age-encryption.org/v1): a header of text with the key of the file, encrypted
 * with the key of the operator, then chunks of 64 KiB. Each chunk is authenticated with its number and a mark on the last one, so
 * that changed, swapped, missing and added bytes are errors.
 */

/** First line of each encrypted file. */
const MAGIC = 'age-encryption.org/v1\n';
/** A header has 200 bytes, with a post-quantum key 2,000. */
const MAX_HEADER = 64 * 1024;
/**
 * The binary logarithm of the work of scrypt: a second and 256 MiB. Each file states its own, so a forged one could ask for any
 * amount.
 */
const WORK_FACTOR = 18;

/** Encrypts chunks, with memory for a few of them. */
export async function* encrypted(
  key: BackupKey,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (key.kind === 'none') return yield* chunks;
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  if (key.kind === 'passphrase') encrypter.setPassphrase(key.passphrase);
  else encrypter.addRecipient(await identityToRecipient(key.identities[0]));
  yield* await encrypter.encrypt(ReadableStream.from(chunks));
}

/**
 * Reads a file and decrypts it, with memory for a few chunks. Each chunk is authentic when it is yielded, and all of them are when
 * the generator ends.
 * @throws AdminError if the key does not fit, or the file was changed
 */
export async function* decrypted(key: BackupKey, path: string): AsyncGenerator<Uint8Array> {
  if (!(await stat(path)).isFile())
    throw new AdminError(
      `${oneLine(path)} is not a regular file: a backup is verified before it is restored, so it is read twice. Save what comes from a pipe to a file first`,
    );
  const file = await open(path);
  try {
    const header = await readHeader(file);
    requireKind(key, header, path);
    const bytes = () => file.createReadStream({ start: 0, autoClose: false });
    if (header === undefined) return yield* bytes();
    const fileKey = await openHeader(key, header, path);
    const decrypter = new Decrypter();
    decrypter.addIdentity({ unwrapFileKey: () => fileKey });
    try {
      yield* await decrypter.decrypt(ReadableStream.from(bytes()));
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) throw error;
      throw new AdminError(
        `${oneLine(path)} is not a complete backup: it was truncated or changed after it was written`,
      );
    }
  } finally {
    await file.close();
  }
}

/** The header of an encrypted file. Its end is missing if the file is damaged. */
async function readHeader(file: FileHandle): Promise<string | undefined> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_HEADER), 0, MAX_HEADER, 0);
  const text = buffer.toString('latin1', 0, bytesRead);
  const lastLine = text.indexOf('\n--- ') + 1;
  return text.startsWith(MAGIC) ? text.slice(0, text.indexOf('\n', lastLine) + 1) : undefined;
}

/** How much work the header asks for to derive a key from a passphrase. Empty: the file has no passphrase. */
const workOf = (header: string): number[] =>
  header
    .split('\n')
    .filter((line) => line.startsWith('-> scrypt '))
    .map((line) => Number(line.split(' ')[3]));

/** A file that is not encrypted does not pass for one that is: anybody could have put it in its place. */
function requireKind(key: BackupKey, header: string | undefined, path: string): void {
  const kind = header === undefined ? 'none' : workOf(header).length > 0 ? 'passphrase' : 'key';
  if (kind === key.kind) return;
  const reason = {
    none: 'is not encrypted, so anybody could have written it: restore it with --plain if you trust it',
    passphrase: 'is encrypted with a passphrase: name it with --passphrase-file or --passphrase',
    key: 'is encrypted with a key: name it with --key-file',
  }[kind];
  throw new AdminError(`${oneLine(path)} ${reason}`);
}

/** The key of the file, which its header has. */
async function openHeader(key: BackupKey, header: string, path: string): Promise<Uint8Array> {
  for (const work of workOf(header))
    if (work > WORK_FACTOR)
      throw new AdminError(
        `${oneLine(path)} asks for 2^${work} steps to check the passphrase, more than 2^${WORK_FACTOR}: encrypt it again with less`,
      );
  const decrypter = new Decrypter();
  if (key.kind === 'passphrase') decrypter.addPassphrase(key.passphrase);
  else if (key.kind === 'key') for (const identity of key.identities) decrypter.addIdentity(identity);
  return await decrypter.decryptHeader(Buffer.from(header, 'latin1')).catch(() => {
    const name = key.kind === 'passphrase' ? 'passphrase' : 'key';
    throw new AdminError(
      `${oneLine(path)} cannot be opened: the ${name} is not that of this backup, or its header is damaged`,
    );
  });
}
