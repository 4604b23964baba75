/** What an answer's message adds about a password that was accepted, although it is easy to guess. */
export const COMMON_WARNING =
  'This password is on a list of leaked passwords, or close to one that is. Choose another one soon.';
export const WORD_WARNING =
  'This password is easy to guess: it contains your e-mail address or the name of the service. Choose another one soon.';

/** The warning that an answer's message ends with, if there is one. */
export const warningOf = (message = ''): string | undefined =>
  [COMMON_WARNING, WORD_WARNING].find((warning) => message.endsWith(warning));
