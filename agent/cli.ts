import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { ServiceError } from '../lib/client/index.ts';
import { SEVERITIES } from '../lib/importers/finding.ts';
import { FORMATS } from '../lib/importers/names.ts';
import pkg from '../package.json' with { type: 'json' };
import { EXIT, positive, repeated, withCommonOptions, withScanOptions } from './commands/options.ts';
import { KEY_BELONGS_TO_ENVIRONMENT, UsageError } from './errors.ts';
import { DEFAULT_CONCURRENCY } from './scan.ts';
import { oneLine, printable } from './text.ts';

const STATUSES = ['open', 'confirmed', 'fixed', 'false_positive', 'wontfix', 'verified'];

/** Several values, separated by commas or by repeating the option. */
const several = (allowed: readonly string[]) => (text: string, before: string[] | undefined) => {
  const values = text.split(',');
  const wrong = values.find((value) => !allowed.includes(value));
  if (wrong !== undefined) throw new InvalidArgumentError(`Allowed are ${allowed.join(', ')}.`);
  return [...(before ?? []), ...values];
};

/** @param ended is told the exit code of the command that was run */
function createProgram(ended: (code: number) => void): Command {
  /** Runs a command's code, which is loaded only then. */
  const then =
    <Args extends unknown[]>(action: (...args: Args) => Promise<number>) =>
    async (...args: Args) =>
      ended(await action(...args));

  const program = new Command('svc-agent')
    .description("Brings scanners' findings to the service, and loses none on the way.")
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
The API key is read from SVC_API_KEY. Other settings come from a flag, the environment, <workspace>/.svc/config.yml
or $XDG_CONFIG_HOME/svc/config.yml, in this order. SVC_TRUSTED_HOSTS lists the hosts that may have the key.

Exit codes: 0 done, 1 usage, configuration or a report that cannot be read, 2 a finding at or above --fail-on,
3 findings not delivered (they are on disk, see sync), 130/143 stopped by a signal.`,
    );

  withScanOptions(program.command('report'), FORMATS)
    .description("read scanners' reports (- is stdin), push their findings, complete the scan")
    .argument('<file...>')
    .action(then(async (files, flags) => (await import('./commands/report.ts')).report(files, flags)));

  withScanOptions(program.command('run'), FORMATS)
    .description('run a scanner and report what it finds: svc-agent run -- semgrep scan --json')
    .argument('<command...>')
    .option('--report <file>', 'the file the scanner writes its report to (else its stdout is the report)')
    .passThroughOptions()
    .action(then(async (command, flags) => (await import('./commands/run.ts')).run(command, flags)));

  withCommonOptions(program.command('sync'))
    .description('deliver what earlier runs could not')
    .option(
      '--accept-journal <file>',
      'deliver this journal although it is not known to be yours; `all` for every one (repeatable)',
      repeated,
    )
    .option('--concurrency <n>', 'pushes at the same time', positive(64), DEFAULT_CONCURRENCY)
    .action(then(async (flags) => (await import('./commands/sync.ts')).sync(flags)));

  withCommonOptions(program.command('findings'))
    .description('list findings of the project')
    .option('--status <names>', STATUSES.join(', '), several(STATUSES))
    .option('--severity <names>', SEVERITIES.join(', '), several(SEVERITIES))
    .action(then(async (flags) => (await import('./commands/findings.ts')).findings(flags)));

  for (const [name, status, what] of [
    ['verify', 'verified', 'confirm that a finding is fixed'],
    ['reopen', 'open', 'open a finding again'],
  ] as const) {
    withCommonOptions(program.command(name))
      .description(what)
      .argument('<finding-id>')
      .action(
        then(async (id, flags) => (await import('./commands/findings.ts')).setStatus(id, status, flags)),
      );
  }

  withCommonOptions(program.command('attach'))
    .description('attach an exploit to a finding')
    .argument('<finding-id>')
    .argument('<file>')
    .option('--language <name>', 'language of the code (else by the name of the file)')
    .action(
      then(async (id, file, flags) => (await import('./commands/findings.ts')).attach(id, file, flags)),
    );

  withCommonOptions(program.command('config').command('show'))
    .description('show every setting and where it came from')
    .action(then(async (flags) => (await import('./commands/config.ts')).showConfig(flags)));

  return program;
}

/** Runs a command line. @returns the exit code */
export async function main(args: string[]): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram((of) => {
    code = of;
  });
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  try {
    if (own.some((arg) => /^--(?:api[-_]?)?(?:key|token)(?:=|$)/i.test(arg))) {
      throw new UsageError(KEY_BELONGS_TO_ENVIRONMENT);
    }
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has said it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(`svc-agent: ${messageOf(error)}\n`);
    return EXIT.usage;
  }
}

/** Servers, reports and repositories have a part in most of these, so the text is made safe to print. */
function messageOf(error: unknown): string {
  if (error instanceof UsageError) return oneLine(error.message);
  if (error instanceof ServiceError) {
    const fields = error.details.map(({ field, message }) => `${field} ${message}`).join('; ');
    const id = error.requestId ? ` (${error.requestId})` : '';
    return oneLine(`the service refused: ${[error.message, fields].filter(Boolean).join(' ')}${id}`);
  }
  const { message, cause, stack, syscall } = error as NodeJS.ErrnoException & { cause?: Error };
  // A full disk, a folder that cannot be written to …; a service that does not answer.
  if (syscall || (error as Error).name === 'TimeoutError') return oneLine(message);
  if (message === 'fetch failed') return oneLine(`the service cannot be reached (${cause?.message})`);
  return printable(stack ?? message);
}
