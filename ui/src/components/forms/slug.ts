import { isReservedSlug, ORG_SLUG } from '../../../../lib/orgs/slugs.ts';

export { slugFrom } from '../../../../lib/orgs/slugs.ts';

/** The error of a slug for a new organization. Only the service knows whether it is taken. */
export function orgSlugProblem(slug: string): string | undefined {
  if (slug.length < 3) return 'Enter at least 3 characters';
  if (slug.length > 50) return 'Enter at most 50 characters';
  if (/[^a-z0-9-]/.test(slug)) return 'Use only lowercase letters (a to z), digits and hyphens';
  if (!ORG_SLUG.test(slug)) return 'A slug cannot start or end with a hyphen';
  if (isReservedSlug(slug)) return `“${slug}” is reserved`;
  return undefined;
}
