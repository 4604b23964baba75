import { collapseWhitespace } from '../support.ts';
import { maskCredentials } from './credentials.ts';

const MAX_NOTICES = 9;
const MAX_LENGTH = 300;

/** Records messages of a tool, each once. Beyond nine, only their number, so that readers see it too. */
export function recordAll(
  record: (message: string) => void,
  messages: readonly string[],
  more?: (count: number) => string,
): void {
  const distinct = [...new Set(messages.map(shorten))].filter((message) => message !== '');
  for (const message of limitMessages(distinct, more)) record(message);
}

/** The first messages, and how many more there are. */
function limitMessages(
  messages: readonly string[],
  more = (rest: number) => `${rest} more messages of this kind`,
): string[] {
  const first = messages.slice(0, MAX_NOTICES);
  return messages.length > MAX_NOTICES ? [...first, more(messages.length - MAX_NOTICES)] : first;
}

/** One line. Tools quote source code, which may contain credentials. */
function shorten(message: string): string {
  const line = collapseWhitespace(maskCredentials(message));
  const characters = [...line.slice(0, 2 * MAX_LENGTH)];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : line;
}
