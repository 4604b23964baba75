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
  [program = '', ...args]: readonly string[],
  code: number,
  report: string | undefined,
): string {
  const problem = `${program} wrote no report${report === undefined ? '' : ` to ${report}`} (exit code ${code})`;
  const own = args.find((arg) => OWN_OPTION.test(arg));
  const advice =
    code !== 0 && own
      ? `Write ${own.replace(/=.*/s, '')} before the command of the scanner.`
      : report === undefined && args.some((arg) => FILE_OPTION.test(arg))
        ? 'If it writes its report to a file, name the file with --report before the command.'
        : report !== undefined && code === 0
          ? 'Does it write to this file? Without --report, the agent reads its standard output.'
          : undefined;
  return advice ? `${problem}. ${advice}` : problem;
}
