import { markdownOf } from './markdown.ts';
import type { ChatMessage } from './message.ts';

/** Older servers split longer texts into several posts. */
const MAX_TEXT = 4_000;

/**
 * The body of a request to an incoming webhook of Mattermost ("Incoming webhooks" and "Format messages" in Mattermost's documentation).
 * Mattermost takes mentions from every text that is not code, also behind a backslash.
 */
export function mattermostBody(message: ChatMessage): object {
  const title = `#### ${message.headline}\n`;
  return { text: title + markdownOf(message, MAX_TEXT - title.length) };
}
