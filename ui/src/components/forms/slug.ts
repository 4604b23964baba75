import { isReservedSlug, ORG_SLUG } from '../../../../lib/orgs/slugs.ts';

export { slugFrom } from '../../../../lib/orgs/slugs.ts';

/** What is wrong with the slug of a new organization, so far as it can be known here. */
export function orgSlugProblem(slug: string): string | undefined {
  if (slug.length < 3) return 'At least 3 characters';
  if (slug.length > 50) return 'At most 50 characters';
  if (/[^a-z0-9-]/.test(slug)) return 'Only lower-case letters (a to z), digits and hyphens';
  if (!ORG_SLUG.test(slug)) return 'No hyphen at the beginning or the end';
  if (isReservedSlug(slug)) return `“${slug}” is reserved for the service itself`;
  return undefined;
}
