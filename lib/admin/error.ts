import { EmbeddedUnavailable } from '../../db/embedded/embedded.ts';
import { ConfigError } from '../config/parse.ts';

/** Exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** An error with a one-line message for the operator. */
export class AdminError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The message of an error's root cause, in one line. Drizzle's own message would contain the query with its parameters. */
export function reasonOf(error: unknown): string {
  let e = error;
  while (e instanceof Error) {
    // Connecting to a host with several addresses fails with one error for each.
    const next = e.cause ?? (e instanceof AggregateError ? e.errors[0] : undefined);
    if (!(next instanceof Error)) break;
    e = next;
  }
  return oneLine(e instanceof Error ? e.message || e.name : String(e));
}

/**
 * Escapes text for a terminal. Names and values come from users and may contain line breaks, escape sequences or characters
 * that change the text direction.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Whether an error's message is written for the operator. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof AdminError || error instanceof ConfigError || error instanceof EmbeddedUnavailable;
