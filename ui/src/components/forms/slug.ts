import * as text from '#strings/components/forms.ts';
import { isReservedSlug, ORG_SLUG } from '../../../../lib/orgs/slugs.ts';

export { slugFrom } from '../../../../lib/orgs/slugs.ts';

/** The error of a slug for a new organization. Only the service knows whether it is taken. */
export function orgSlugProblem(slug: string): string | undefined {
  if (slug.length < 3) return text.slugTooShort;
  if (slug.length > 50) return text.slugTooLong;
  if (/[^a-z0-9-]/.test(slug)) return text.slugCharacters;
  if (!ORG_SLUG.test(slug)) return text.slugHyphens;
  if (isReservedSlug(slug)) return text.slugIsReserved(slug);
  return undefined;
}
