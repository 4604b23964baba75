import { ReportError } from '../importer.ts';
import { limitMessages, MAX_NOTICES } from '../text/notices.ts';
import { HashCounter, hashOf } from './hashes.ts';

/** The remarks of all parts. The messages that all parts contain, because they are not about its lists, count once. */
export interface Remarks {
  errors: string[];
  warnings: string[];
  skipped: Record<string, number>;
}

/** Messages of which each is recorded once, and only the first ones. */
export class Distinct {
  #seen = new HashCounter();
  first: string[] = [];

  add(messages: readonly string[]): void {
    for (const message of messages)
      if (this.#seen.add(hashOf(message)) === 0 && this.first.length < MAX_NOTICES) this.first.push(message);
  }

  get messages(): string[] {
    return limitMessages(this.first, this.#seen.size);
  }
}

export interface ListCount {
  valid: number;
  errors: ReportError[];
  failed: number;
}

/** Messages beyond this number are only counted: a report can contain millions of errors. */
export const MAX_MESSAGES = 1_000;

/** Removes messages, each as often as it is listed. */
export function without(messages: readonly string[], removed: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const message of removed) counts.set(message, (counts.get(message) ?? 0) + 1);
  return messages.filter((message) => {
    const count = counts.get(message) ?? 0;
    if (count > 0) counts.set(message, count - 1);
    return count === 0;
  });
}

/** An error whose position is one in the whole report. */
export class LocatedError extends ReportError {}
