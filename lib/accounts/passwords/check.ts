import type { Config } from '../../config/config.ts';
import { ApiError } from '../../errors.ts';
import { COMMON_PASSWORDS } from './common.ts';
import { decodeList, fingerprintOf, formsOf, includesSorted } from './forms.ts';
import { COMMON_WARNING, WORD_WARNING } from './warnings.ts';

/** Names of the product. Passwords must not contain them, even with other characters between the letters. */
const PRODUCT_WORDS = ['findings', 'svcfindings'];

/** Shorter words occur in too many good passwords. */
const MIN_WORD_LENGTH = 4;

const lettersAndDigits = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

let list: Uint32Array | undefined;

/** Whether a password or a simple variation of it (`formsOf`) is on the list of common and leaked passwords. */
export function isCommonPassword(password: string): boolean {
  // Decoded on first use.
  list ??= decodeList(COMMON_PASSWORDS);
  for (const form of formsOf(password)) if (includesSorted(list, fingerprintOf(form))) return true;
  return false;
}

/**
 * The first forbidden word that a password contains: a product name, one of `words`, or the local part of an address.
 * Ignores case and signs.
 */
export function wordIn(
  password: string,
  words: readonly string[],
  addresses: readonly string[],
): string | undefined {
  const text = lettersAndDigits(password);
  const names = addresses.map((address) => address.replace(/[+@].*/s, ''));
  return [...PRODUCT_WORDS, ...words, ...names].find((word) => {
    const normalized = lettersAndDigits(word);
    return normalized.length >= MIN_WORD_LENGTH && text.includes(normalized);
  });
}

/** A new password. */
export interface ChosenPassword {
  /** Its field in the request body. */
  field: string;
  password: string;
  /** Addresses of the account. */
  addresses?: readonly string[];
}

/**
 * Checks whether a new password is easy to guess.
 * @returns a warning for the response's message if it is and `breachedPasswords` is `warn`
 * @throws ApiError `validation_error/field_invalid` if it is and `breachedPasswords` is `refuse`
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

/** The message of a response with the warning appended; an empty object without a warning. */
export const withWarning = (message: string, warning: string | undefined): { message?: string } =>
  warning === undefined ? {} : { message: `${message} ${warning}` };

const IS_COMMON = 'must not be a common or leaked password, nor one with a few digits and signs added';
