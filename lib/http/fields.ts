import { text, uuid, z } from './schema.ts';

/**
 * RFC 5322's dot-atom, at most 64 characters, before the `@`, and a domain of 2 labels or more, the last of letters or
 * punycode. Without quotes, comments and literals, and without `=?`, which mail programs decode (RFC 2047): it would show
 * another address than the one the mail goes to.
 */
const EMAIL =
  /^(?!.*(?:\.\.|=\?))(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-][A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{0,62})?[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:[A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])$/;

/** An e-mail address, trimmed and lower-cased. */
export const email = () =>
  z
    .string()
    .max(254, 'must have at most 254 characters')
    .trim()
    .toLowerCase()
    .regex(EMAIL, 'must be an e-mail address')
    .openapi({
      type: 'string',
      // Not `format: email`: some validators also decode punycode, and so refuse addresses that are accepted here.
      pattern: EMAIL.source,
      maxLength: 254,
      example: 'ada@example.com',
    });

/** A person's, organization's or project's name. */
export const name = (example: string) => text({ min: 1, max: 200, trim: true, example });

/** A path parameter that is a UUID; anything else names nothing. */
export const idParam = uuid;

/** A password somebody proves to know; what it has to look like is no matter here. */
export const password = () => z.string().openapi({ format: 'password', example: 'Correct1horse' });

/** The token of a mailed link. */
export const mailedToken = () =>
  z.string().openapi({ description: 'As it stands in the mail: 64 hex digits.', example: 'f3'.repeat(32) });

/** What a login with MFA answered. */
export const mfaToken = () => z.string().openapi({ example: 'eyJhbGciOiJIUzI1NiJ9.eyJ.sig' });

/** A one-time code of six digits. */
export const sixDigits = () =>
  z
    .string()
    .trim()
    .regex(/^[0-9]{6}$/, 'must be six digits')
    .openapi({ type: 'string', pattern: '^[0-9]{6}$', example: '123456' });
