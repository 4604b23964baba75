import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createDirectory, errorCode } from '../journal/folder.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The agent's state for this user on this machine: `$XDG_STATE_HOME/svc-agent`, `~/.local/state/svc-agent` or
 * `%LOCALAPPDATA%\svc-agent`. Each record is a separate file that is written once, so concurrent agents need no lock.
 */
export interface State {
  /** Undefined if the environment contains no absolute path for it. */
  readonly directory: string | undefined;
  /** The content of a file; undefined if it does not exist. @throws if it cannot be read or is not JSON */
  read(...path: string[]): unknown;
  /** Like `read`, but undefined unless the file belongs to this user and only this user can read or write it. */
  readPrivate(...path: string[]): unknown;
  /** Writes a file atomically, readable for this user only. @throws a system error */
  write(value: unknown, ...path: string[]): void;
  remove(...path: string[]): void;
  /** The names of the records in a directory of the state. */
  list(...path: string[]): string[];
}

/** Opens the state. Nothing is created before the first write. */
export function openState(env: Env): State {
  const directory = stateDirectory(env);
  const pathOf = (path: string[]) => {
    if (directory === undefined) throw new Error('HOME is not an absolute path');
    return join(directory, ...path);
  };

  function load(path: string[], mustBePrivate: boolean): unknown {
    if (directory === undefined) return undefined;
    let file: number;
    try {
      file = openSync(pathOf(path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      if (mustBePrivate && !isPrivate(file)) return undefined;
      return JSON.parse(readFileSync(file, 'utf8'));
    } finally {
      closeSync(file);
    }
  }

  return {
    directory,
    read: (...path) => load(path, false),
    readPrivate: (...path) => load(path, true),
    write(value, ...path) {
      const target = pathOf(path);
      createDirectory(dirname(target), 0o700);
      const temporary = `${target}.${randomUUID()}.tmp`;
      const file = openSync(temporary, 'wx', 0o600);
      try {
        try {
          writeSync(file, `${JSON.stringify(value)}\n`);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(temporary, target);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    remove(...path) {
      if (directory !== undefined) rmSync(pathOf(path), { force: true });
    },
    list(...path) {
      try {
        return readdirSync(pathOf(path)).filter((name) => name.endsWith('.json'));
      } catch (error) {
        if (directory === undefined || isMissing(error)) return [];
        throw error;
      }
    },
  };
}

export const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');

/** A relative path could be inside the scanned directory, so it counts as unset (XDG Base Directory Specification). */
const ifAbsolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);

function homeOf(env: Env): string | undefined {
  if (env.HOME) return ifAbsolute(env.HOME);
  try {
    return ifAbsolute(homedir());
  } catch {
    // The user has no account, as in a container that runs as any user id.
    return undefined;
  }
}

/** The directory of the user's configuration files. */
export function configHome(env: Env): string | undefined {
  const home = homeOf(env);
  return ifAbsolute(env.XDG_CONFIG_HOME) ?? (home && join(home, '.config'));
}

/** The state directory; undefined if the environment has no absolute path. @param system platform, for tests */
export function stateDirectory(env: Env, system: string = platform()): string | undefined {
  const home = homeOf(env);
  const parent =
    ifAbsolute(env.XDG_STATE_HOME) ??
    (system === 'win32' ? ifAbsolute(env.LOCALAPPDATA) : undefined) ??
    (home && join(home, '.local/state'));
  return parent && join(parent, 'svc-agent');
}

/** Version control does not restore mode 0600, so a file from a repository is not private. Windows has no modes. */
function isPrivate(file: number): boolean {
  const { mode, uid } = fstatSync(file);
  const user = process.getuid?.();
  return user === undefined || (uid === user && (mode & 0o077) === 0);
}
