/** An error that the user can fix. The message is printed without a stack. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A scanner failed and wrote no report. */
export class ScannerError extends Error {
  override name = 'ScannerError';
}

export const KEY_BELONGS_TO_ENVIRONMENT =
  'Set the API key in the environment variable SVC_API_KEY. A key in a file can be committed, and a key on a command line appears in process lists and logs.';
