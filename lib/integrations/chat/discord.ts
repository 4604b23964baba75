import { markdownOf } from './markdown.ts';
import type { ChatMessage } from './message.ts';

/** The most characters of a description. With a title of at most 256 characters, an embed stays below 6,000 in all. */
const MAX_DESCRIPTION = 4_096;

/**
 * The body of a request to a webhook of Discord. Limits are those of "Embed Limits", and mentions are those of "Allowed Mentions Object",
 * in Discord's "Message Resource" documentation.
 */
export const discordBody = (message: ChatMessage): object => ({
  embeds: [
    {
      title: message.headline,
      description: markdownOf(message, MAX_DESCRIPTION),
      ...(message.url !== undefined && { url: message.url }),
    },
  ],
  allowed_mentions: { parse: [] },
});
