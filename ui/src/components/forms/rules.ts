import * as text from '#strings/components/forms.ts';
import { isReservedSlug, ORG_SLUG } from '../../../../lib/orgs/slugs.ts';

/** The requirements of a new password. */
export const PASSWORD_RULES: readonly { label: string; holds(password: string): boolean }[] = [
  {
    label: text.passwordLength,
    holds: (password) => Array.from(password).length >= 8 && Array.from(password).length <= 256,
  },
  { label: text.uppercaseLetter, holds: (password) => /\p{Lu}/u.test(password) },
  { label: text.lowercaseLetter, holds: (password) => /\p{Ll}/u.test(password) },
  { label: text.digit, holds: (password) => /[0-9]/.test(password) },
];

/** The error of a new password that does not meet the requirements. */
export const passwordProblem = (password: string): string | undefined =>
  PASSWORD_RULES.every(({ holds }) => holds(password)) ? undefined : text.requirementsNotMet;

/** The error of an e-mail address. */
export const emailProblem = (address: string): string | null =>
  /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(address.trim()) ? null : text.invalidEmail;

/** The error of a slug for a new organization. Only the service knows whether it is taken. */
export function orgSlugProblem(slug: string): string | undefined {
  if (slug.length < 3) return text.slugTooShort;
  if (slug.length > 50) return text.slugTooLong;
  if (/[^a-z0-9-]/.test(slug)) return text.slugCharacters;
  if (!ORG_SLUG.test(slug)) return text.slugHyphens;
  if (isReservedSlug(slug)) return text.slugIsReserved(slug);
  return undefined;
}
