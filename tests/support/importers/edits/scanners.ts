import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { codeAfter, EDITS, type Edit, FIXTURES } from './code.ts';

/** Where the code was, in recorded reports. */
export const DIRECTORY = '/builds/team/app';

export interface Scanner {
  /** Also the name of the recorded report. */
  name: string;
  /** The importer. */
  format: string;
  program: string;
  files: readonly string[];
  /** @param program the path of the program */
  args(program: string): string[];
  /** The file that the scanner writes. Default: it writes to its standard output. */
  output?: string;
  /** Fields of the report that take much space and that no importer reads. */
  unused?: readonly string[];
}

const PYTHON = ['orders.py'];
const JAVASCRIPT = ['server.js'];
const semgrep = ['scan', '--config', 'semgrep.yml', '--metrics', 'off', '--disable-version-check'];

/** Some of the checks of each kind. */
const CHECKS = [
  ...['CKV_AWS_18', 'CKV_AWS_21', 'CKV_AWS_23', 'CKV_AWS_24', 'CKV_AWS_3', 'CKV2_AWS_6', 'CKV2_DOCKER_1'],
  ...['CKV_DOCKER_1', 'CKV_DOCKER_2', 'CKV_K8S_16', 'CKV_K8S_19', 'CKV_K8S_8', 'CKV_K8S_9'],
].join();

export const SCANNERS: readonly Scanner[] = [
  {
    ...{ name: 'bandit', format: 'bandit', program: 'bandit', files: PYTHON, unused: ['metrics.edit'] },
    args: () => ['-q', '-r', '.', '-f', 'json', '-o', 'report'],
    output: 'report',
  },
  {
    ...{ name: 'semgrep', format: 'semgrep', program: 'semgrep', files: [...PYTHON, ...JAVASCRIPT] },
    unused: ['paths', 'time', 'metavars', 'engine_kind', 'interfile_languages_used', 'skipped_rules'],
    args: () => [...semgrep, '--json', '-o', 'report', '.'],
    output: 'report',
  },
  {
    ...{ name: 'semgrep-sarif', format: 'sarif', program: 'semgrep', files: [...PYTHON, ...JAVASCRIPT] },
    args: () => [...semgrep, '--sarif', '-o', 'report', '.'],
    output: 'report',
  },
  {
    ...{ name: 'eslint-sarif', format: 'sarif', program: 'eslint', files: JAVASCRIPT, unused: ['artifacts'] },
    args: (program) => {
      const formatter = createRequire(realpathSync(program)).resolve('@microsoft/eslint-formatter-sarif');
      return ['-f', formatter, '-o', 'report', '.'];
    },
    output: 'report',
  },
  {
    ...{ name: 'gosec-sarif', format: 'sarif', program: 'gosec', files: ['files.go'] },
    args: () => ['-quiet', '-no-fail', '-fmt', 'sarif', '-out', 'report', './...'],
    output: 'report',
  },
  {
    ...{ name: 'gosec', format: 'gosec', program: 'gosec', files: ['files.go'], unused: ['Stats'] },
    args: () => ['-quiet', '-no-fail', '-fmt', 'json', '-out', 'report', './...'],
    output: 'report',
  },
  {
    ...{ name: 'gitleaks', format: 'gitleaks', program: 'gitleaks', files: ['settings.ini'] },
    args: () => ['dir', '.', '--exit-code', '0', '-f', 'json', '-r', 'report'],
    output: 'report',
  },
  {
    ...{ name: 'gitleaks-redacted', format: 'gitleaks', program: 'gitleaks', files: ['settings.ini'] },
    args: () => ['dir', '.', '--exit-code', '0', '--redact', '-f', 'json', '-r', 'report'],
    output: 'report',
  },
  {
    ...{
      name: 'detect-secrets',
      format: 'detect-secrets',
      program: 'detect-secrets',
      files: ['settings.ini'],
    },
    args: () => ['scan', '--all-files', '.'],
    unused: ['filters_used', 'plugins_used.limit'],
  },
  {
    name: 'checkov',
    format: 'checkov',
    program: 'checkov',
    files: ['main.tf', 'Dockerfile', 'deployment.yaml'],
    unused: [
      ...['passed_checks', 'check_class', 'evaluated_keys', 'entity_tags', 'breadcrumbs', 'connected_node'],
      ...[
        'details',
        'definition_context_file_path',
        'entity',
        'evaluations',
        'benchmarks',
        'caller_file_path',
      ],
      ...[
        'bc_category',
        'caller_file_line_range',
        'bc_check_id',
        'vulnerability_details',
        'fixed_definition',
      ],
    ],
    args: () => [
      '-d',
      '.',
      '--framework',
      'terraform',
      'dockerfile',
      'kubernetes',
      '--soft-fail',
      '--check',
      CHECKS,
      '-o',
      'json',
    ],
  },
];

/** The path of an installed program, on the `PATH` or in the directories of `SVC_TEST_SCANNERS`. */
export function programPath(name: string): string | undefined {
  const { PATH = '', SVC_TEST_SCANNERS = '' } = process.env;
  return `${SVC_TEST_SCANNERS}${delimiter}${PATH}`
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((path) => path !== name && existsSync(path));
}

/** Runs a scanner on the code after each edit. Paths in the report are those of {@link DIRECTORY}. */
export function scan(scanner: Scanner, program: string): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'edits-')));
  try {
    for (const edit of EDITS) {
      for (const [path, text] of Object.entries(codeAfter(edit, scanner.files).files)) {
        const target = join(directory, folderOf(edit), path);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, text);
      }
    }
    writeFileSync(join(directory, 'go.mod'), 'module example.org/shop\n\ngo 1.22\n');
    for (const rules of ['eslint.config.mjs', 'semgrep.yml'])
      writeFileSync(join(directory, rules), readFileSync(new URL(rules, FIXTURES)));
    const output = run(scanner, program, directory);
    const report = scanner.output ? readFileSync(join(directory, scanner.output), 'utf8') : output;
    return report.replaceAll(directory, DIRECTORY);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Some scanners end with an error code if they find problems. */
function run({ args }: Scanner, program: string, directory: string): string {
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
  const options = { cwd: directory, env, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: 'pipe' } as const;
  try {
    return execFileSync(program, args(program), options);
  } catch (error) {
    const { status, stdout } = error as { status?: number; stdout?: string };
    if (status === 1 && stdout !== undefined) return stdout;
    throw error;
  }
}

const folderOf = (edit: Edit) => `edit-${edit}`;
const FOLDER = /\bedit-[a-z-]+(?=[/.":]|$)/g;

/** The part of a report that is about one edit, as if only its code had been scanned. */
export function reportOf(report: string, edit: Edit): string {
  const folder = folderOf(edit);
  const isOfOthers = (value: unknown) => {
    const folders: string[] = JSON.stringify(value)?.match(FOLDER) ?? [];
    return folders.length > 0 && !folders.some((found) => found === folder);
  };
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((member) => !isOfOthers(member)).map(part);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([key]) => !isOfOthers(key));
    return Object.fromEntries(
      entries
        .filter(([, member]) => typeof member === 'object' || !isOfOthers(member))
        .map(([key, member]) => [key, part(member)]),
    );
  };
  return JSON.stringify(part(JSON.parse(report))).replaceAll(`${folder}/`, '');
}
