import type { Command } from 'commander';
import type { Database } from '../../../db/client.ts';
import type { Config } from '../../config/config.ts';
import type { Logger } from '../../logger.ts';
import type { Ask } from '../ask.ts';
import type { Tracks } from '../migrations.ts';

/** The result of a command: as JSON (`--json`) and as text. */
export interface Answer {
  json: unknown;
  text: string;
  exitCode?: number;
}

/** The context that every command gets. */
export interface Context {
  config: Config;
  tracks: Tracks;
  /** For the security log. */
  log: Logger;
  /** Prints a line while the command runs, unless the output is JSON. */
  progress(line: string): void;
  ask: Ask;
  /**
   * Opens the servers' database until the command ends.
   * @param create creates the embedded database if it does not exist
   * @throws AdminError when the database cannot be used
   */
  connect(create: boolean): Promise<Database>;
  /** Opens the same database as the owner of `shared`, if that is another role. */
  connectOwner(): Promise<Database | undefined>;
}

export interface Call extends Context {
  database: Database;
  /** The same database as the owner of `shared`; the role of `database` may not change some of its tables. */
  owner: Database;
}

export type Handler = (call: Call) => Promise<Answer>;

/** The command that the arguments selected. */
export interface Chosen {
  run(context: Context): Promise<Answer>;
  json: boolean;
  /** Path of a file with settings. */
  envFile: string | undefined;
}

/** Help text of the argument `org`. */
export const ORG = 'slug or id of the organization';

/**
 * The effect of a command: `changes`, the default, is recorded before it runs; `reads` is not recorded; `creates` may create the
 * database, and is recorded afterwards.
 */
export type CommandKind = 'changes' | 'reads' | 'creates';

/** Selects the handler of a command. */
export type Choose = (command: Command, handler: Handler, kind?: CommandKind) => void;

/** Selects a command that also works without the database. */
export type ChooseWithoutDatabase = (command: Command, run: Chosen['run']) => void;
