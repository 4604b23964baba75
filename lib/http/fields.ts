import { ORG_SLUG } from '../orgs/slugs.ts';
import { text, uuid, z } from '../schema.ts';

/**
 * A dot-atom (RFC 5322) of at most 64 characters, `@`, and a domain of at least 2 labels, the last of letters or punycode.
 * Quotes, comments, literals and `=?` are not allowed. Mail programs decode `=?` (RFC 2047) and would show another address
 * than the recipient's.
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
      // Not `format: email`: some validators decode punycode and refuse addresses that this pattern accepts.
      pattern: EMAIL.source,
      maxLength: 254,
      example: 'ada@example.com',
    });

/** The name of a person, an organization or a project. */
export const name = (example: string) => text({ min: 1, max: 200, trim: true, example });

/** The slug of an organization. */
export const orgSlug = () =>
  z
    .string()
    .regex(ORG_SLUG, 'must be 3 to 50 lower-case letters, digits and hyphens')
    .openapi({ example: 'acme' });

/** A path parameter that is a UUID. Anything else is answered 404. */
export const idParam = uuid;

/** A password to verify. The rules for new passwords do not apply. */
export const password = () => z.string().openapi({ format: 'password', example: 'Correct1horse' });

/** The token of a mailed link. */
export const mailedToken = () =>
  z.string().openapi({ description: 'The token of the link: 64 hex digits.', example: 'f3'.repeat(32) });

/** The `mfa_token` of a login response. */
export const mfaToken = () => z.string().openapi({ example: 'eyJhbGciOiJIUzI1NiJ9.eyJ.sig' });

/** A one-time code of six digits. */
export const sixDigits = () =>
  z
    .string()
    .trim()
    .regex(/^[0-9]{6}$/, 'must be six digits')
    .openapi({ type: 'string', pattern: '^[0-9]{6}$', example: '123456' });
