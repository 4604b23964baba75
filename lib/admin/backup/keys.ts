import { readFile } from 'node:fs/promises';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import type { Ask } from '../ask.ts';
import { AdminError, EXIT, oneLine, reasonOf } from '../error.ts';
import { writeFileSafely } from './output-file.ts';

/** The key of a backup. */
export type BackupKey =
  /** Secret keys of age. The first encrypts, all of them decrypt. */
  | { kind: 'key'; identities: [string, ...string[]] }
  | { kind: 'passphrase'; passphrase: string }
  /** The backup is not encrypted. */
  | { kind: 'none' };

/** Where a command gets the key from: exactly one of them. */
export interface KeyOptions {
  keyFile?: string | undefined;
  passphraseFile?: string | undefined;
  /** Asks for the passphrase at the terminal. */
  passphrase?: boolean | undefined;
  plain?: boolean | undefined;
}

/** A thief of the file can try passphrases without limit. */
const MIN_PASSPHRASE = 15;

/**
 * Reads the key that the options name.
 * @param isNew the key is for a new backup
 * @throws AdminError if they name none or several, or it cannot be used
 */
export async function readKey(options: KeyOptions, ask: Ask, isNew: boolean): Promise<BackupKey> {
  const { keyFile, passphraseFile, passphrase, plain } = options;
  if ([keyFile, passphraseFile, passphrase, plain].filter((option) => option !== undefined).length !== 1)
    throw new AdminError(
      'choose one of --key-file, --passphrase-file, --passphrase, or --plain for a backup that is not encrypted',
      EXIT.usage,
    );
  if (plain) return { kind: 'none' };
  if (keyFile !== undefined) return await readIdentities(keyFile);
  if (passphraseFile !== undefined)
    return checkedPassphrase((await readSecret(passphraseFile)).replace(/\r?\n$/, ''), isNew);
  const answer = await ask('Passphrase of the backup: ');
  const key = checkedPassphrase(answer, isNew);
  if (isNew && (await ask('The passphrase again: ')) !== answer)
    throw new AdminError('the two passphrases differ');
  return key;
}

/** Writes a new key to a file that only its owner can read. */
export async function createKeyFile(path: string): Promise<void> {
  const text = `# Key of backups of svc-findings, created ${new Date().toISOString()}. Without it they cannot be restored.
${await generateX25519Identity()}
`;
  await writeFileSafely(path, false, (file) => file.writeFile(text));
}

function checkedPassphrase(passphrase: string, isNew: boolean): BackupKey {
  if (passphrase === '' || /[\r\n]/.test(passphrase))
    throw new AdminError('the passphrase must be one line that is not empty');
  if (isNew && passphrase.length < MIN_PASSPHRASE)
    throw new AdminError(
      `the passphrase has ${passphrase.length} characters: use at least ${MIN_PASSPHRASE}, or a key file`,
    );
  return { kind: 'passphrase', passphrase };
}

/** Messages never show a line: it may be a key. */
async function readIdentities(path: string): Promise<BackupKey> {
  const lines = (await readSecret(path)).split('\n').map((line) => line.trim());
  const [first, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const wrong = (reason: string) => new AdminError(`${oneLine(path)} is not a key file: ${reason}`);
  if (first === undefined) throw wrong('it has no key');
  for (const identity of [first, ...others]) {
    if (/^age1/.test(identity)) throw wrong('it has a public key, a backup needs the secret key');
    await identityToRecipient(identity).catch(() => {
      throw wrong('a line is not a secret key of age (AGE-SECRET-KEY-…)');
    });
  }
  return { kind: 'key', identities: [first, ...others] };
}

/** The text of a file. Other bytes than UTF-8 would all be read as the same character. */
async function readSecret(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error) => {
    throw new AdminError(`${oneLine(path)} cannot be read: ${reasonOf(error)}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AdminError(`${oneLine(path)} is not a text in UTF-8`);
  }
}
