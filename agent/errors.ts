/** Something the caller has to put right: one sentence for people, no stack. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Why the key is taken from nowhere but the environment. */
export const KEY_BELONGS_TO_ENVIRONMENT =
  'The API key is taken from the environment variable SVC_API_KEY only: in a file it would be committed, on a command line every process list and log would show it.';
