/** What a new password has to have. */
export const PASSWORD_RULES: readonly { label: string; holds(password: string): boolean }[] = [
  {
    label: '8 to 256 characters',
    holds: (text) => Array.from(text).length >= 8 && Array.from(text).length <= 256,
  },
  { label: 'An upper-case letter', holds: (text) => /\p{Lu}/u.test(text) },
  { label: 'A lower-case letter', holds: (text) => /\p{Ll}/u.test(text) },
  { label: 'A digit', holds: (text) => /[0-9]/.test(text) },
];

/** What to say of a new password that misses some of it. */
export const passwordProblem = (password: string): string | undefined =>
  PASSWORD_RULES.every(({ holds }) => holds(password)) ? undefined : 'It does not have all that it needs yet';
