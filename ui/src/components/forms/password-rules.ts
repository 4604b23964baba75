import * as text from '#strings/components/forms.ts';
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
