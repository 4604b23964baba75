import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { ServiceError } from '../lib/client/index.ts';
import { SEVERITIES } from '../lib/importers/finding.ts';
import { FORMATS } from '../lib/importers/names.ts';
import pkg from '../package.json' with { type: 'json' };
import { collect, EXIT, positiveInt, withCommonOptions, withScanOptions } from './commands/options.ts';
import { KEY_BELONGS_TO_ENVIRONMENT, ScannerError, UsageError } from './errors.ts';
import { DEFAULT_CONCURRENCY } from './scan.ts';
import { oneLine, printable } from './text.ts';

const STATUSES = ['open', 'confirmed', 'fixed', 'false_positive', 'wontfix', 'verified'];

/** Parses an option that takes a comma-separated list and can be repeated. */
const parseList = (allowed: readonly string[]) => (text: string, previous: string[] | undefined) => {
  const values = text.split(',');
  const invalid = values.find((value) => !allowed.includes(value));
  if (invalid !== undefined) throw new InvalidArgumentError(`Allowed values: ${allowed.join(', ')}.`);
  return [...(previous ?? []), ...values];
};

/** @param onExit called with the exit code of the command */
function createProgram(onExit: (code: number) => void): Command {
  /** Wraps a command, whose module is imported when it runs so that the program starts fast. */
  const withExitCode =
    <Args extends unknown[]>(action: (...args: Args) => Promise<number>) =>
    async (...args: Args) =>
      onExit(await action(...args));

  const program = new Command('svc-agent')
    .description('Sends scanner findings to the service and queues them on disk until they are delivered.')
    .version(pkg.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      writeErr: (text) => process.stderr.write(printable(text)),
    })
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `
Set the API key in SVC_API_KEY; jobs of CI systems that the project trusts need none. Other settings are read from
flags, the environment, <workspace>/.svc/config.yml and $XDG_CONFIG_HOME/svc/config.yml, in this order. SVC_TRUSTED_HOSTS lists the hosts that may receive the key;
without it, an address that only the workspace names is used after you have confirmed it at a terminal.

Exit codes: 0 success, 1 wrong usage or configuration or an unreadable report, 2 a finding at or above --fail-on or
--fail-on-new, 3 findings not delivered (they are queued on disk: run svc-agent sync), 4 the scanner failed or reported
errors, 129/130/143 stopped by a signal.`,
    );

  withScanOptions(program.command('report'), FORMATS)
    .description('push the findings of scanner reports (- is stdin), those about one thing as one scan')
    .argument('<file...>')
    .option('--explain', 'print what the service would change and why, and store nothing')
    .action(
      withExitCode(async (files, flags) => (await import('./commands/report.ts')).report(files, flags)),
    );

  withScanOptions(program.command('run'), FORMATS)
    .description('run a scanner and push its findings: svc-agent run -- semgrep scan --json')
    .argument('<command...>')
    .option('--report <file>', 'file that the scanner writes its report to (default: its stdout)')
    .passThroughOptions()
    .action(withExitCode(async (command, flags) => (await import('./commands/run.ts')).run(command, flags)));

  withCommonOptions(program.command('sync'))
    .description('deliver the findings that earlier runs could not deliver')
    .option(
      '--accept-journal <file>',
      'deliver this journal even if the agent does not know it as yours; `all` for every journal (repeatable)',
      collect,
    )
    .option('--concurrency <n>', 'number of concurrent requests', positiveInt(64), DEFAULT_CONCURRENCY)
    .action(withExitCode(async (flags) => (await import('./commands/sync.ts')).sync(flags)));

  withCommonOptions(program.command('findings'))
    .description('list the findings of the project')
    .option('--status <names>', STATUSES.join(', '), parseList(STATUSES))
    .option('--severity <names>', SEVERITIES.join(', '), parseList(SEVERITIES))
    .action(withExitCode(async (flags) => (await import('./commands/findings.ts')).findings(flags)));

  for (const [name, status, description] of [
    ['verify', 'verified', 'confirm that a finding is fixed'],
    ['reopen', 'open', 'open a finding again'],
  ] as const) {
    withCommonOptions(program.command(name))
      .description(description)
      .argument('<finding-id>')
      .action(
        withExitCode(async (id, flags) =>
          (await import('./commands/findings.ts')).setStatus(id, status, flags),
        ),
      );
  }

  withCommonOptions(program.command('attach'))
    .description('attach an exploit to a finding')
    .argument('<finding-id>')
    .argument('<file>')
    .option('--language <name>', 'language of the code (default: from the file name)')
    .action(
      withExitCode(async (id, file, flags) =>
        (await import('./commands/findings.ts')).attach(id, file, flags),
      ),
    );

  withCommonOptions(program.command('config').description('show the settings').command('show'))
    .description('show every setting and its source')
    .action(withExitCode(async (flags) => (await import('./commands/config.ts')).showConfig(flags)));

  return program;
}

/** Runs a command line. @returns the exit code */
export async function main(args: string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram((exitCode) => {
    code = exitCode;
  });
  const ownArgs = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  try {
    if (ownArgs.some((arg) => /^--(?:api[-_]?)?(?:key|token)(?:=|$)/i.test(arg))) {
      throw new UsageError(KEY_BELONGS_TO_ENVIRONMENT);
    }
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError && error.code === 'commander.unknownCommand')
      process.stderr.write('To run a scanner: svc-agent run -- <command>\n');
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(`svc-agent: ${formatError(error)}\n`);
    return error instanceof ScannerError ? EXIT.scanner : EXIT.usage;
  }
}

/** Makes an error printable: most messages contain text from servers, reports or repositories. */
function formatError(error: unknown): string {
  if (error instanceof UsageError || error instanceof ScannerError) return oneLine(error.message);
  if (error instanceof ServiceError) {
    const fields = error.details.map(({ field, message }) => `${field} ${message}`).join('; ');
    const id = error.requestId ? ` (${error.requestId})` : '';
    return oneLine(
      `the service refused the request: ${[error.message, fields].filter(Boolean).join(' ')}${id}`,
    );
  }
  const { message, cause, stack, syscall } = error as NodeJS.ErrnoException & { cause?: Error };
  // File system errors, such as a full disk, and requests that timed out.
  if (syscall || (error as Error).name === 'TimeoutError') return oneLine(message);
  if (message === 'fetch failed') return oneLine(`the service cannot be reached (${cause?.message})`);
  return printable(stack ?? message);
}
