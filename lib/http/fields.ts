import { text, z } from './schema.ts';

/** An e-mail address, trimmed and lower-cased. */
export const email = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .max(254, 'must have at most 254 characters')
    .pipe(z.email('must be an e-mail address'))
    .openapi({ type: 'string', format: 'email', maxLength: 254 });

/** A person's, organization's or project's name. */
export const name = () => text({ min: 1, max: 200, trim: true });

/** A path parameter that is a UUID; anything else names nothing. */
export const idParam = () => z.guid().toLowerCase().openapi({ type: 'string', format: 'uuid' });

/** A password somebody proves to know; what it has to look like is no matter here. */
export const password = () => z.string().openapi({ format: 'password' });

/** The token of a mailed link. */
export const mailedToken = () =>
  z.string().openapi({ description: 'As it stands in the mail.', pattern: '^[0-9a-f]{64}$' });

/** A one-time code of six digits. */
export const sixDigits = () =>
  z
    .string()
    .trim()
    .regex(/^[0-9]{6}$/, 'must be six digits');
