import type { HashLoad } from '../../metrics/reports.ts';
import { hasLength, isStorable, STORABLE, z } from '../../schema.ts';

/**
 * Hashes passwords. Node and the edge have their own implementations of the same format. Both limit the hashes at a time and
 * the waiting requests, and throw `server_error/unavailable` beyond. `client` is an address; clients are served fairly.
 */
export interface PasswordHasher {
  /** A PHC string (`$argon2id$v=19$m=…`). */
  hash(password: string, client?: string): Promise<string>;
  /**
   * Whether `password` matches `hash`. Without a hash it takes the same time and returns false, so that the response time does
   * not reveal whether an account exists.
   */
  verify(hash: string | null | undefined, password: string, client?: string): Promise<boolean>;
  /** Throws the error that `verify` would throw now because the queue is full, so that a caller can skip other work. */
  requireRoom?(client: string): void;
  /** For the metrics. */
  load?(): HashLoad;
}

/** Argon2id with OWASP's first recommendation: 19 MiB, 2 passes, 1 lane. */
export const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash that `verify` uses if there is none. No password is known to match it. */
export const DECOY_HASH = [
  '$argon2id$v=19',
  `m=${ARGON2_PARAMETERS.memoryCost},t=${ARGON2_PARAMETERS.timeCost},p=${ARGON2_PARAMETERS.parallelism}`,
  'ZGVjb3kgZGVjb3kgZGVjbw',
  'bm8gcGFzc3dvcmQgbWF0Y2hlcyB0aGlzIGRlY295ISE',
].join('$');

export const PASSWORD_RULE =
  'must have 8 to 256 characters with an upper-case letter, a lower-case letter and a digit';

const CHARACTERS = ['\\p{Lu}', '\\p{Ll}', '[0-9]'];
const REQUIRED = CHARACTERS.map((pattern) => new RegExp(pattern, 'u'));

/** A new password (docs/api.md). */
export const newPassword = () =>
  z
    .string()
    .refine(
      (value) => hasLength(value, 8, 256) && isStorable(value) && REQUIRED.every((r) => r.test(value)),
      PASSWORD_RULE,
    )
    .openapi({
      type: 'string',
      format: 'password',
      minLength: 8,
      maxLength: 256,
      pattern: STORABLE,
      allOf: CHARACTERS.map((pattern) => ({ pattern })),
      description: PASSWORD_RULE,
      example: 'Correct1horse',
    });
