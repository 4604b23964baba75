import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { scannerName } from './exit-codes.ts';

/**
 * Scanners that say nothing about a target that does not exist: their subcommand, and their options without a value. Words
 * after other options may be values.
 */
const SILENT = new Map([
  [
    'detect-secrets',
    {
      command: 'scan',
      flags: new Set([
        ...['--all-files', '--force-use-all-plugins', '--no-verify', '-n', '--only-allowlisted'],
        ...['--only-verified', '--slim', '--verbose', '-v'],
      ]),
    },
  ],
]);

/** Why a scanner that found nothing checked nothing; undefined if it did or the agent cannot know. */
export function missingTarget(command: readonly string[], directory: string): string | undefined {
  const name = scannerName(command);
  const silent = SILENT.get(name);
  const start = silent === undefined ? -1 : command.indexOf(silent.command);
  if (silent === undefined || start < 0) return undefined;
  const targets = command.slice(start + 1).filter((word, index) => {
    const previous = command[start + index] ?? '';
    return !word.startsWith('-') && (index === 0 || !previous.startsWith('-') || silent.flags.has(previous));
  });
  const missing = targets.find((target) => !existsSync(resolve(directory, target)));
  return missing === undefined ? undefined : `${name} failed: ${missing} does not exist`;
}
