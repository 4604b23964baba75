import type { CHAT_KINDS } from '../../../db/schema/destinations.ts';
import { discordBody } from './discord.ts';
import { mattermostBody } from './mattermost.ts';
import type { ChatMessage } from './message.ts';
import { slackBody } from './slack.ts';
import { teamsBody } from './teams.ts';

export type ChatKind = (typeof CHAT_KINDS)[number];

/** The body of a request by service. */
export const CHAT_FORMATS: Record<ChatKind, (message: ChatMessage) => object> = {
  slack: slackBody,
  teams: teamsBody,
  discord: discordBody,
  mattermost: mattermostBody,
};
