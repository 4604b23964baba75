import { type Command, InvalidArgumentError, Option } from 'commander';
import { SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import { DEFAULT_CONCURRENCY, PERSONAS, type Persona } from '../scan.ts';
import type { Flags } from '../settings.ts';

/** The exit codes. */
export const EXIT = { ok: 0, usage: 1, failOn: 2, undelivered: 3, SIGINT: 130, SIGTERM: 143 } as const;

export interface CommonFlags extends Flags {
  /** Hosts that the workspace's file may send the key to in this run. */
  trustHost?: string[];
  json?: boolean;
  quiet?: boolean;
}

/** The options of every command. */
export const withCommonOptions = (command: Command): Command =>
  command
    .option('--report-base-url <url>', 'address of the service (SVC_BASE_URL)')
    .option('--project <id or slug>', 'project the findings belong to (SVC_PROJECT_ID)')
    .option('--org <slug>', 'organization, where the service has no base domain (SVC_ORG)')
    .option(
      '--trust-host <host>',
      'let the workspace’s config.yml send the key to this host (repeatable)',
      repeated,
    )
    .option('--workspace <dir>', 'what files are relative to, and where .svc/ is', '.')
    .option('--json', 'results as JSON on stdout')
    .option('--quiet', 'nothing but warnings and errors');

export interface ScanFlags extends CommonFlags {
  persona: Persona;
  name?: string;
  format?: string;
  source?: string;
  targetType?: string;
  targetPath?: string;
  targetUrl?: string;
  concurrency: number;
  failOn?: Severity;
  dryRun?: boolean;
}

/** The options of the commands that make a scan. */
export const withScanOptions = (command: Command, formats: readonly string[]): Command =>
  withCommonOptions(command)
    .addOption(choice('--persona <name>', 'what kind of scan it is', PERSONAS).default('sharingan'))
    .option('--name <text>', 'name of the scan')
    .addOption(choice('--format <name>', 'format of the reports (else found out)', formats))
    .option('--source <text>', 'grouping tag of the findings (else the format)')
    .option('--target-type <text>', 'what was scanned: repository, image, host …')
    .option('--target-path <path>', 'where it is')
    .option('--target-url <url>', 'its address')
    .option('--concurrency <n>', 'pushes at the same time', positive(64), DEFAULT_CONCURRENCY)
    .addOption(
      choice('--fail-on <severity>', 'exit with 2 when a finding is at least this severe', SEVERITIES),
    )
    .option('--dry-run', 'show what would be pushed, and send nothing');

/** Collects the values of a repeated option, for commander. */
export const repeated = (text: string, before: string[] | undefined) => [...(before ?? []), text];

/** A number from 1 to `max`, for commander. */
export const positive = (max: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw new InvalidArgumentError(`It must be a number from 1 to ${max}.`);
  }
  return value;
};

export const choice = (flags: string, description: string, values: readonly string[]) =>
  new Option(flags, description).choices(values);
