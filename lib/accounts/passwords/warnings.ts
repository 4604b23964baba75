/** Appended to the message of a response that accepts a password although it is easy to guess. */
export const COMMON_WARNING =
  'This password is on a list of leaked passwords, or close to one that is. Choose another one soon.';
export const WORD_WARNING =
  'This password is easy to guess: it contains your e-mail address or the name of the service. Choose another one soon.';

/** The warning at the end of a response's message, if any. */
export const warningOf = (message = ''): string | undefined =>
  [COMMON_WARNING, WORD_WARNING].find((warning) => message.endsWith(warning));
