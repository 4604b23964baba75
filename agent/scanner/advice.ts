import { launcherFailure, scannerName } from './exit-codes.ts';

/* Why a scanner gave no result, and what the user can do. */

/** Options of the agent that users write after the command of the scanner. */
const OWN_OPTION =
  /^--(?:allow-scanner-errors|dry-run|fail-on|fail-on-new|migrate-fingerprints|path-prefix|persona|project|report-base-url|summary|trust-host|workspace)(?:=|$)/;

/** Options of scanners that name the file of the report. */
const FILE_OPTION = /^(?:-o|-r|--?out|--json-output|--?output(?:-file|-path)?|--report-(?:path|file))(?:=|$)/;

export function describeStartFailure(
  [program = '', ...args]: readonly string[],
  { code }: NodeJS.ErrnoException,
): string {
  if (code === 'ENOENT') {
    return args.length === 0 && /\s/.test(program)
      ? `${program}: not found. Do not put the whole command in quotes.`
      : `${program}: not found. Is it installed and on the PATH?`;
  }
  if (code === 'EACCES') return `${program}: permission denied. Is it an executable file?`;
  return `${program}: cannot be run (${code})`;
}

export const describeSignal = (program: string, signal: NodeJS.Signals): string =>
  `${program} was terminated by ${signal}${signal === 'SIGKILL' ? '. Was the memory sufficient?' : ''}`;

/** @param report the file that should contain the report; undefined for the standard output */
export function describeNoReport(
  command: readonly string[],
  code: number,
  report: string | undefined,
): string {
  const reason = launcherFailure(command, code);
  const end = reason ? `exit code ${code}: ${reason}` : `exit code ${code}`;
  const problem = `${command[0]} wrote no report${report === undefined ? '' : ` to ${report}`} (${end})`;
  const advice = adviceFor(command, code, report);
  return advice ? `${problem}. ${advice}` : problem;
}

function adviceFor(command: readonly string[], code: number, report: string | undefined): string | undefined {
  const [remark] = remarksOn(command);
  if (remark) return remark;
  const own = command.find((word) => OWN_OPTION.test(word));
  if (code !== 0 && own) return `Write ${own.replace(/=.*/s, '')} before the command of the scanner.`;
  if (report === undefined && command.some((word) => FILE_OPTION.test(word)))
    return 'If it writes its report to a file, name the file with --report before the command.';
  if (report !== undefined && code === 0)
    return 'Does it write to this file? Without --report, the agent reads its standard output.';
  return undefined;
}

/** Likely mistakes in a command that can work. */
export function remarksOn(command: readonly string[]): string[] {
  if (scannerName(command) !== 'gosec') return [];
  const has = (words: RegExp) => command.some((word) => words.test(word));
  const isSarif = has(/^(?:--?fmt=)?sarif$/);
  return [
    has(/^--?quiet$/) &&
      'gosec -quiet prints nothing if it finds nothing or the code does not compile. Leave -quiet out.',
    // With all rules, it prints errors.
    isSarif &&
      has(/^--?(?:include|exclude)(?:=|$)/) &&
      'gosec does not report code that does not compile in SARIF. Use -fmt json.',
  ].filter((remark) => typeof remark === 'string');
}
