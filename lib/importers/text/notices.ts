import { collapseWhitespace } from '../support.ts';
import { maskCredentials } from './secrets.ts';

const MAX_NOTICES = 9;
const MAX_LENGTH = 300;

/** Records messages of a tool, each once. Beyond nine, only their number, so that the agent prints it too. */
export function recordAll(
  record: (message: string) => void,
  messages: readonly string[],
  more = (count: number) => `${count} more messages of this kind`,
): void {
  const distinct = [...new Set(messages.map(shorten))].filter((message) => message !== '');
  for (const message of distinct.slice(0, MAX_NOTICES)) record(message);
  const rest = distinct.length - MAX_NOTICES;
  if (rest > 0) record(more(rest));
}

/** One line. Tools quote source code, which may contain credentials. */
function shorten(message: string): string {
  const line = collapseWhitespace(maskCredentials(message));
  const characters = [...line.slice(0, 2 * MAX_LENGTH)];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : line;
}
