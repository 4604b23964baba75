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
