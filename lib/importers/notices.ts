import { maskCredentials } from './secrets.ts';
import { collapseWhitespace } from './support.ts';

const MAX_NOTICES = 20;
const MAX_LENGTH = 300;

/** Records messages of a tool, each once. Beyond 20, only their number. */
export function recordAll(record: (message: string) => void, messages: readonly string[]): void {
  const distinct = [...new Set(messages.map(shorten))].filter((message) => message !== '');
  for (const message of distinct.slice(0, MAX_NOTICES)) record(message);
  const rest = distinct.length - MAX_NOTICES;
  if (rest > 0) record(`${rest} more messages of this kind`);
}

/** One line. Tools quote source code, which may contain credentials. */
function shorten(message: string): string {
  const line = collapseWhitespace(maskCredentials(message));
  const characters = [...line.slice(0, 2 * MAX_LENGTH)];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : line;
}
