import { hasLength, isStorable, STORABLE, z } from '../../http/schema.ts';
import type { HashLoad } from './hash-queue.ts';

/**
 * Hashes passwords; the edge brings another implementation of the same format. Few are hashed at once, and few requests
 * wait for that: beyond, `server_error/unavailable` is thrown. Clients, known by their address, take turns.
 */
export interface PasswordHasher {
  /** A PHC string (`$argon2id$v=19$m=…`). */
  hash(password: string, client?: string): Promise<string>;
  /**
   * Whether `password` made `hash`. Without a hash it spends the same time and says no, so that time does not tell
   * whether an account exists.
   */
  verify(hash: string | null | undefined, password: string, client?: string): Promise<boolean>;
  /** Throws what `verify` would throw now because the queue is full, so that a caller can skip its other work. */
  requireRoom?(client: string): void;
  /** For the metrics. */
  load?(): HashLoad;
}

/** Argon2id with OWASP's first recommendation: 19 MiB, 2 passes, 1 lane. */
export const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** What a password is checked against where there is no hash. It takes as long as any other; nothing is known to match it. */
export const DECOY_HASH = [
  '$argon2id$v=19',
  `m=${ARGON2_PARAMETERS.memoryCost},t=${ARGON2_PARAMETERS.timeCost},p=${ARGON2_PARAMETERS.parallelism}`,
  'ZGVjb3kgZGVjb3kgZGVjbw',
  'bm8gcGFzc3dvcmQgbWF0Y2hlcyB0aGlzIGRlY295ISE',
].join('$');

export const PASSWORD_RULE =
  'must have 8 to 256 characters with an upper-case letter, a lower-case letter and a digit';

const CHARACTERS = ['\\p{Lu}', '\\p{Ll}', '[0-9]'];
const each = CHARACTERS.map((pattern) => new RegExp(pattern, 'u'));

/** A password a user may choose (API contract, "Authentication"). */
export const newPassword = () =>
  z
    .string()
    .refine(
      (value) => hasLength(value, 8, 256) && isStorable(value) && each.every((one) => one.test(value)),
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
