import { type ExecFileException, execFile } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isInside, realPathOf } from './source.ts';

/** A file that was renamed. Paths are relative to the root of the repository, with slashes. */
export interface Rename {
  from: string;
  to: string;
}

/** The root of the repository that contains a directory: the nearest parent with `.git`. */
export function findGitRoot(directory: string): string | undefined {
  let parent = realPathOf(directory);
  while (parent !== undefined) {
    if (isGitEntry(join(parent, '.git'))) return parent;
    const next = dirname(parent);
    parent = next === parent ? undefined : next;
  }
  return undefined;
}

/** Worktrees and submodules have a file `.git` that contains the path of their data. */
function isGitEntry(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return lstatSync(join(path, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
  if (!stat?.isFile() || stat.size > MAX_GIT_FILE_BYTES) return false;
  try {
    return readFileSync(path, 'utf8').startsWith('gitdir:');
  } catch {
    return false;
  }
}

const MAX_GIT_FILE_BYTES = 10_000;

const MAX_COMMITS = 500;
const TIMEOUT_MS = 10_000;

/** The checked-out commit of the repository that contains a directory; undefined without one, without git or without commits. */
export async function readCommit(directory: string, timeoutMs = TIMEOUT_MS): Promise<string | undefined> {
  const root = findGitRoot(directory);
  if (root === undefined) return undefined;
  try {
    const commit = (await runGit(root, ['rev-parse', '--verify', 'HEAD^{commit}'], timeoutMs)).trim();
    return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? commit : undefined;
  } catch {
    return undefined;
  }
}

/** The checked-out branch, and the default branch of the repository that was cloned, where git knows them. */
export async function readBranches(
  directory: string,
  timeoutMs = TIMEOUT_MS,
): Promise<{ ref?: string | undefined; default_ref?: string | undefined }> {
  const root = findGitRoot(directory);
  if (root === undefined) return {};
  const branchOf = async (name: string, prefix: string) => {
    const full = await runGit(root, ['symbolic-ref', '--quiet', name], timeoutMs).catch(() => '');
    return full.startsWith(prefix) ? full.slice(prefix.length).trim() || undefined : undefined;
  };
  const [ref, default_ref] = await Promise.all([
    branchOf('HEAD', 'refs/heads/'),
    branchOf('refs/remotes/origin/HEAD', 'refs/remotes/origin/'),
  ]);
  return { ref, default_ref };
}

/**
 * The renames in the index and in the latest commits, latest first. Empty without git, without commits, or if git refuses the
 * repository or takes too long.
 */
export async function readRenames(root: string, timeoutMs = TIMEOUT_MS): Promise<Rename[]> {
  const git = (args: string[], input?: string) => runGit(root, args, timeoutMs, input);
  try {
    const [staged, commits] = await Promise.all([
      // The index only: reading files of the work tree would run the filters of the repository's configuration.
      git(['diff-index', '--cached', ...RENAMES, 'HEAD', '--']),
      git(['rev-list', `--max-count=${MAX_COMMITS}`, 'HEAD', '--']),
    ]);
    const committed = await git(['diff-tree', '--stdin', '--no-commit-id', '-r', ...RENAMES], commits);
    return [...parseRenames(staged), ...parseRenames(committed)];
  } catch {
    return [];
  }
}

const RENAMES = ['-M', '-l1000', '--diff-filter=R', '--name-status', '-z', '--no-ext-diff', '--no-textconv'];

/** Parses `R100\0old\0new\0…`. */
function parseRenames(output: string): Rename[] {
  const fields = output.split('\0');
  const renames: Rename[] = [];
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [status = '', from = '', to = ''] = fields.slice(i, i + 3);
    if (/^R\d+$/.test(status)) renames.push({ from, to });
  }
  return renames;
}

const MAX_OUTPUT_BYTES = 16 * 1_048_576;

/**
 * Runs git. The configuration of a repository can name programs: hooks, file monitors, filters, diff drivers, and transports
 * that fetch missing objects. None of them may run.
 */
function runGit(root: string, args: string[], timeoutMs: number, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: ExecFileException | null, stdout: string) =>
      error ? reject(error) : resolve(stdout);
    const child = execFile(
      'git',
      ['-C', root, '--no-pager', ...SAFE_CONFIG.flatMap((setting) => ['-c', setting]), ...args],
      {
        // Windows also looks for programs in the current directory.
        cwd: dirname(process.execPath),
        env: gitEnv(root, process.env),
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
        windowsHide: true,
      },
      done,
    );
    // git may exit before it has read its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

const SAFE_CONFIG = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.untrackedCache=false',
  'core.sshCommand=false',
  'core.attributesFile=/dev/null',
  'diff.external=',
  'log.showSignature=false',
  'protocol.allow=never',
  'submodule.recurse=false',
  'diff.ignoreSubmodules=all',
];

const KEPT_VARIABLES = ['HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SystemRoot', 'TMPDIR', 'TEMP'];

/** Without GIT_* variables, which can name programs and other repositories, and without secrets. */
function gitEnv(root: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // `npm run` puts directories of the repository on PATH, which may contain a program called git.
  const path = (env.PATH ?? env.Path ?? '')
    .split(delimiter)
    .filter((directory) => isAbsolute(directory) && !isInside(root, realPathOf(directory) ?? directory));
  return {
    ...Object.fromEntries(KEPT_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    PATH: path.join(delimiter),
    LC_ALL: 'C',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
}
