import type { Command } from 'commander';
import type { Database } from '../../../db/client.ts';
import type { Config } from '../../config/config.ts';
import type { Logger } from '../../logger.ts';
import type { Tracks } from '../migrations.ts';

/** What a command has to say: to programs and to people. */
export interface Answer {
  json: unknown;
  text: string;
  exitCode?: number;
}

export interface Call {
  database: Database;
  config: Config;
  tracks: Tracks;
  /** For the security log. */
  log: Logger;
  /** Says something before the command is done; to people only. */
  progress(line: string): void;
}

export type Handler = (call: Call) => Promise<Answer>;

/** A command that was understood, to be run with a database. */
export interface Chosen {
  handler: Handler;
  json: boolean;
  /** Makes the embedded database when it is not there yet. */
  create: boolean;
}

/** What an organization is named by. */
export const ORG = 'slug or id of the organization';

/** Notes what a command does. @param create makes the embedded database when it is not there yet */
export type Choose = (command: Command, handler: Handler, create?: boolean) => void;
