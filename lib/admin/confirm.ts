import { AdminError, EXIT, oneLine } from './error.ts';

/**
 * Requires that the operator names what a command removes.
 * @throws AdminError if `given` is not the slug
 */
export function requireConfirmed(given: string | undefined, slug: string, what: string): void {
  if (given === slug) return;
  throw new AdminError(`${what}: confirm it with --confirm ${oneLine(slug)}`, EXIT.usage);
}
