import { text } from '../schema.ts';

const ORIGIN = 'http://a.invalid';

/** Whether a text is a path of this site, for every browser: `//host` and `/\host` lead to others. */
export function isPath(given: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(given) || given.includes('\\')) return false;
  return URL.canParse(given, ORIGIN) && new URL(given, ORIGIN).origin === ORIGIN;
}

/** Where the browser goes after a sign-in. */
export const returnTo = () =>
  text({ min: 1, max: 1_000, example: '/o/acme/findings' })
    .refine(isPath, 'must be a path of this site, such as /findings')
    .openapi({ description: 'A path of this site.' });
