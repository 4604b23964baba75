import { type Command, InvalidArgumentError, Option } from 'commander';
import { SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import { DEFAULT_CONCURRENCY, PERSONAS, type Persona } from '../scan.ts';
import type { Flags } from '../settings.ts';

export const EXIT = {
  ok: 0,
  usage: 1,
  failOn: 2,
  undelivered: 3,
  scanner: 4,
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export interface CommonFlags extends Flags {
  /** Hosts that the workspace file may send the key to in this run. */
  trustHost?: string[];
  json?: boolean;
  quiet?: boolean;
}

/** Adds the options of every command. */
export const withCommonOptions = (command: Command): Command =>
  command
    .option('--report-base-url <url>', 'address of the service (SVC_BASE_URL)')
    .option('--project <id or slug>', 'project the findings belong to (SVC_PROJECT_ID)')
    .option('--org <slug>', 'organization, if the service has no base domain (SVC_ORG)')
    .option(
      '--trust-host <host>',
      'allow .svc/config.yml to send the key to this host, https unless it starts with http:// (repeatable)',
      collect,
    )
    .option('--workspace <dir>', 'directory that contains .svc/ and that file paths are relative to', '.')
    .option('--json', 'print results as JSON on stdout')
    .option('--quiet', 'print warnings and errors only');

export interface ScanFlags extends CommonFlags {
  persona: Persona;
  name?: string;
  format?: string;
  source?: string;
  targetType?: string;
  targetPath?: string;
  targetUrl?: string;
  targetRef?: string;
  baseRef?: string;
  defaultRef?: string;
  category?: string;
  commit?: string;
  concurrency: number;
  failOn?: Severity;
  failOnNew?: Severity;
  allowScannerErrors?: boolean;
  pathPrefix?: string;
  migrateFingerprints?: boolean;
  /** A file that a summary in Markdown is appended to. */
  summary?: string;
  dryRun?: boolean;
  /** Asks the service what the reports would change, and sends nothing else. */
  explain?: boolean;
}

/** Adds the options of the commands that create a scan. */
export const withScanOptions = (command: Command, formats: readonly string[]): Command =>
  withCommonOptions(command)
    .addOption(choiceOption('--persona <name>', 'kind of scan', PERSONAS).default('sharingan'))
    .option('--name <text>', 'name of the scan')
    .option('--format <name>', 'format of the reports, see below (default: detected)', parseFormat(formats))
    .option('--source <text>', 'grouping tag of the findings (default: the format)')
    .option('--target-type <text>', 'kind of target: repository, image, host …')
    .option('--target-path <path>', 'path of the target')
    .option('--target-url <url>', 'URL of the target')
    .option('--target-ref <name>', 'branch or tag of the target (default: from CI variables or git)')
    .option('--base-ref <name>', 'branch that the pull request goes into (default: from CI variables)')
    .option('--default-ref <name>', 'default branch (default: from CI variables or git)')
    .option('--category <text>', 'tells scans of different things apart (default: from the report)')
    .option('--commit <id>', 'scanned commit (default: the commit of the workspace)')
    .option('--concurrency <n>', 'number of concurrent requests', positiveInt(64), DEFAULT_CONCURRENCY)
    .addOption(
      choiceOption(
        '--fail-on <severity>',
        'exit with code 2 if a finding has at least this severity',
        SEVERITIES,
      ),
    )
    .addOption(
      choiceOption(
        '--fail-on-new <severity>',
        'exit with code 2 if a finding that the base branch or commit does not have has at least this severity',
        SEVERITIES,
      ),
    )
    .option('--allow-scanner-errors', 'do not exit with code 4 if a scanner reports errors')
    .option(
      '--path-prefix <path>',
      'prefix of file paths (default: path of the workspace in its git repository)',
    )
    .option('--migrate-fingerprints', 'keep decisions of older releases; use once, on unchanged code')
    .option('--summary <file>', 'append a summary in Markdown to this file, such as $GITHUB_STEP_SUMMARY')
    .option('--dry-run', 'print the findings and send nothing')
    .addHelpText('after', `\nFormats: ${formats.join(', ')}`);

/** A commander parser for the name of a format. Its error suggests similar names only, because the full list is long. */
const parseFormat = (formats: readonly string[]) => (text: string) => {
  const name = text.toLowerCase().replace(/[\s_]+/g, '-');
  if (formats.includes(name)) return name;
  const [word = ''] = name.split('-');
  const similar = formats.filter((format) => word !== '' && (format.includes(word) || name.includes(format)));
  throw new InvalidArgumentError(
    similar.length > 0 ? `Did you mean ${similar.join(', ')}?` : 'svc-agent report --help lists the formats.',
  );
};

/** A commander parser that collects the values of a repeated option. */
export const collect = (text: string, previous: string[] | undefined) => [...(previous ?? []), text];

/** A commander parser for a whole number from 1 to `max`. */
export const positiveInt = (max: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
  }
  return value;
};

export const choiceOption = (flags: string, description: string, values: readonly string[]) =>
  new Option(flags, description).choices(values);
