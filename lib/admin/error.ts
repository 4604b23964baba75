import { EmbeddedUnavailable } from '../../db/embedded/embedded.ts';
import { ConfigError } from '../config/parse.ts';

/** How the command ends. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** Something an administrator is told in one line. */
export class AdminError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What went wrong at the bottom of an error, in one line: never a whole query with its parameters. */
export function reasonOf(error: unknown): string {
  let e = error;
  while (e instanceof Error) {
    // A host with several addresses fails with one error for all of them.
    const next = e.cause ?? (e instanceof AggregateError ? e.errors[0] : undefined);
    if (!(next instanceof Error)) break;
    e = next;
  }
  return oneLine(e instanceof Error ? e.message || e.name : String(e));
}

/**
 * Text for a terminal: names and values come from users, and may hold line breaks, escape sequences or characters
 * that change the direction of what follows.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Whether an error's message is meant for the user as it is. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof AdminError || error instanceof ConfigError || error instanceof EmbeddedUnavailable;
