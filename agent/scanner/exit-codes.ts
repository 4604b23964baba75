import { constants } from 'node:os';
import { basename } from 'node:path';

/**
 * Exit codes with which a scanner says that it failed, also if it wrote findings. All other codes but 0 mean findings if the
 * report contains any, because many scanners use 1 for both.
 */
const FAILURES = new Map<string, readonly number[]>(
  Object.entries({
    bandit: [2],
    brakeman: [1, 4, 5, 6, 7],
    checkov: [2],
    'detect-secrets': [2],
    eslint: [2],
    gitleaks: [126],
    // Findings have the code 3.
    govulncheck: [1],
    kics: [126, 130],
    'osv-scanner': [127, 128, 129, 130],
    // 3: a file cannot be parsed, with --strict.
    semgrep: [2, 3, 4, 5, 7, 8, 13, 14],
    snyk: [2, 3],
    terrascan: [1, 4, 5],
    trufflehog: [1],
    'zap-api-scan': [3],
    'zap-baseline': [3],
    'zap-full-scan': [3],
  }),
);

/**
 * Why a program that starts a scanner failed: `timeout` (124), Docker (125), `env` and shells (126, 127), and a signal (128 and
 * its number). No scanner uses these codes for findings.
 */
export function launcherFailure(command: readonly string[], code: number): string | undefined {
  // Gitleaks uses 126 for a wrong option.
  if (FAILURES.get(scannerName(command))?.includes(code)) return undefined;
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === code - 128) ?? [];
  if (signal) return `terminated by ${signal}`;
  return LAUNCHER_FAILURES.get(code);
}

const LAUNCHER_FAILURES = new Map([
  [124, 'it took too long'],
  [125, 'it was not started'],
  [126, 'it is not executable'],
  [127, 'a program was not found'],
]);

/** The output of scanners that fail without an exit code or report that says so, and its meaning. */
const SIGNS = new Map<string, { line: RegExp; meaning: string }>(
  Object.entries({
    // SARIF contains no parsing errors.
    checkov: { line: /^Passed checks: .*Parsing errors: [1-9]/, meaning: 'some files cannot be parsed' },
    'detect-secrets': { line: /^fatal: not a git repository/, meaning: 'not a git repository' },
    gitleaks: { line: /\bfatal: not a git repository/, meaning: 'not a git repository' },
    // SARIF contains no errors of the compiler.
    gosec: { line: /\bError building the SSA representation/, meaning: 'some of the code does not compile' },
  }),
);

/** Matches a line with which a scanner says that it failed; undefined if its exit code or report says so. */
export const failureSign = (command: readonly string[]): RegExp | undefined =>
  SIGNS.get(scannerName(command))?.line;

/** Programs that start another program, whose exit code they return. */
const LAUNCHERS = new Set(
  'bundle bunx docker env go nice npx pdm pipx pnpm podman poetry python python3 sudo time timeout uv uvx yarn'.split(
    ' ',
  ),
);

const MAX_LAUNCHER_WORDS = 20;

/** The name of the scanner in a command line, such as `semgrep` in `docker run --rm semgrep/semgrep:1 semgrep scan`. */
export function scannerName([program = '', ...args]: readonly string[]): string {
  const own = nameOf(program);
  if (!LAUNCHERS.has(own)) return own;
  return (
    args
      .slice(0, MAX_LAUNCHER_WORDS)
      .map(nameOf)
      .find((name) => FAILURES.has(name)) ?? own
  );
}

const nameOf = (word: string) =>
  basename(word.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/[@:].*/s, '')
    .replace(/\.(?:exe|cmd|bat|py|sh|js)$/, '');

/** How a scanner ended, and what its report contains. */
export interface ScannerResult {
  command: readonly string[];
  code: number;
  /** Whether it printed a line with the {@link failureSign}. */
  hasSign: boolean;
  /** Number of findings, of results that were skipped, and of errors. */
  findings: number;
  skipped: number;
  errors: number;
}

/** Why a scanner failed although it wrote a report; undefined if it succeeded. */
export function scannerFailure(result: ScannerResult): string | undefined {
  const { command, code, hasSign, findings, skipped, errors } = result;
  const name = scannerName(command);
  if (FAILURES.get(name)?.includes(code)) return `${name} failed (exit code ${code})`;
  const reason = launcherFailure(command, code);
  if (reason) return `${name} failed (exit code ${code}: ${reason})`;
  // Findings of code that does not compile are incomplete. The report may say more about it.
  if (hasSign && errors === 0) return `${name} failed: ${SIGNS.get(name)?.meaning}`;
  return code !== 0 && findings + skipped === 0
    ? `${name} failed (exit code ${code}), and its report contains no findings`
    : undefined;
}
