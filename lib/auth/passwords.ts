import { hasLength, z } from '../http/schema.ts';

/** Hashes passwords; the edge brings another implementation of the same format. */
export interface PasswordHasher {
  /** A PHC string (`$argon2id$v=19$m=…`). */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` made `hash`. Without a hash it spends the same time and says no, so that time does not tell
   * whether an account exists.
   */
  verify(hash: string | null | undefined, password: string): Promise<boolean>;
}

/** Argon2id with OWASP's first recommendation: 19 MiB, 2 passes, 1 lane. */
export const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const PASSWORD_RULE =
  'must have 8 to 256 characters with an upper-case letter, a lower-case letter and a digit';

const PASSWORD = '^(?=[^\\u0000]*\\p{Lu})(?=[^\\u0000]*\\p{Ll})(?=[^\\u0000]*[0-9])[^\\u0000]*$';
const isPassword = new RegExp(PASSWORD, 'u');

/** A password a user may choose (SPEC.md "Authentication"). */
export const newPassword = () =>
  z
    .string()
    .refine(
      (value) => hasLength(value, 8, 256) && isPassword.test(value) && value.isWellFormed(),
      PASSWORD_RULE,
    )
    .openapi({
      type: 'string',
      format: 'password',
      minLength: 8,
      maxLength: 256,
      pattern: PASSWORD,
      description: PASSWORD_RULE,
      example: 'Correct1horse',
    });
