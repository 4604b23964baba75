import type { Config } from '../../config/config.ts';
import { ApiError } from '../../http/errors.ts';
import { COMMON_PASSWORDS } from './common.ts';
import { decodeList, fingerprintOf, formsOf, includesSorted } from './forms.ts';
import { COMMON_WARNING, WORD_WARNING } from './warnings.ts';

/** Names of the product. No password may contain them, whatever stands between their letters. */
const PRODUCT_WORDS = ['findings', 'svcfindings'];

/** Shorter words are in too many good passwords. */
const MIN_WORD_LENGTH = 4;

const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

let list: Uint32Array | undefined;

/** Whether a password is on the list of common and leaked passwords, as it is or in a simple disguise. */
export function isCommonPassword(password: string): boolean {
  // Decoded by the first password that is chosen.
  list ??= decodeList(COMMON_PASSWORDS);
  for (const form of formsOf(password)) if (includesSorted(list, fingerprintOf(form))) return true;
  return false;
}

/** The word a password contains, of the product's, the deployment's, and what stands before the `@` of an address. */
export function wordIn(
  password: string,
  words: readonly string[],
  addresses: readonly string[],
): string | undefined {
  const text = lettersAndDigits(password);
  const names = addresses.map((address) => address.replace(/(?:\+[^@]*)?@[^@]*$/, ''));
  return [...PRODUCT_WORDS, ...words, ...names].find((word) => {
    const looked = lettersAndDigits(word);
    return looked.length >= MIN_WORD_LENGTH && text.includes(looked);
  });
}

/** A password somebody has chosen, and where it came from. */
export interface ChosenPassword {
  /** Of the request's body. */
  field: string;
  password: string;
  /** Of the account. */
  addresses?: readonly string[];
}

/**
 * Looks whether a password that keeps to the rules is one that attackers try first.
 * @returns a warning for the answer's message, when there is one and the setting says `warn`
 * @throws ApiError `validation_error/field_invalid` on the field, when the setting says `refuse`
 */
export function checkChosenPassword(
  { breachedPasswords, passwordWords }: Pick<Config, 'breachedPasswords' | 'passwordWords'>,
  { field, password, addresses = [] }: ChosenPassword,
): string | undefined {
  if (breachedPasswords === 'off') return undefined;
  const word = wordIn(password, passwordWords, addresses);
  const reason = word === undefined ? isCommonPassword(password) && IS_COMMON : `must not contain “${word}”`;
  if (!reason) return undefined;
  if (breachedPasswords === 'refuse') {
    throw new ApiError('validation_error/field_invalid', { details: [{ field, message: reason }] });
  }
  return word === undefined ? COMMON_WARNING : WORD_WARNING;
}

/** The message of an answer, when a warning is to follow it. */
export const withWarning = (message: string, warning: string | undefined): { message?: string } =>
  warning === undefined ? {} : { message: `${message} ${warning}` };

const IS_COMMON = 'must not be a common or leaked password, nor one with a few digits and signs added';
