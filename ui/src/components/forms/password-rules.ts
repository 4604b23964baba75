/** The requirements of a new password. */
export const PASSWORD_RULES: readonly { label: string; holds(password: string): boolean }[] = [
  {
    label: '8 to 256 characters',
    holds: (text) => Array.from(text).length >= 8 && Array.from(text).length <= 256,
  },
  { label: 'An uppercase letter', holds: (text) => /\p{Lu}/u.test(text) },
  { label: 'A lowercase letter', holds: (text) => /\p{Ll}/u.test(text) },
  { label: 'A digit', holds: (text) => /[0-9]/.test(text) },
];

/** The error of a new password that does not meet the requirements. */
export const passwordProblem = (password: string): string | undefined =>
  PASSWORD_RULES.every(({ holds }) => holds(password))
    ? undefined
    : 'The password does not meet all requirements';
