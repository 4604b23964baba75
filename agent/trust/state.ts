import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { homedir, platform } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * What the agent remembers about this user on this machine: `$XDG_STATE_HOME/svc-agent`, `~/.local/state/svc-agent`, or
 * `%LOCALAPPDATA%\svc-agent`. Each fact is a file of its own that is written once, so agents that run at the same time
 * need no lock.
 */
export interface State {
  /** Undefined when the environment names no absolute directory. */
  readonly directory: string | undefined;
  /** The content of a file; undefined when it does not exist. @throws when it exists and cannot be read as JSON */
  read(...path: string[]): unknown;
  /** The same, but undefined unless the file is this user's and nobody else can read or write it. */
  readPrivate(...path: string[]): unknown;
  /** Writes a file that only this user can read: all of it, or nothing. @throws a system error */
  write(value: unknown, ...path: string[]): void;
  remove(...path: string[]): void;
  /** The names in a directory of the state. */
  names(...path: string[]): string[];
}

/** Opens the state; nothing is created before the first write. */
export function openState(env: Env): State {
  const directory = stateDirectory(env);
  const pathOf = (path: string[]) => {
    if (directory === undefined) throw new Error('HOME names no absolute directory');
    return join(directory, ...path);
  };

  function load(path: string[], mustBePrivate: boolean): unknown {
    if (directory === undefined) return undefined;
    let file: number;
    try {
      file = openSync(pathOf(path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
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
      const to = pathOf(path);
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      const temporary = `${to}.${randomUUID()}.tmp`;
      const file = openSync(temporary, 'wx', 0o600);
      try {
        try {
          writeSync(file, `${JSON.stringify(value)}\n`);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(temporary, to);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    remove(...path) {
      if (directory !== undefined) rmSync(pathOf(path), { force: true });
    },
    names(...path) {
      try {
        return readdirSync(pathOf(path)).filter((name) => name.endsWith('.json'));
      } catch (error) {
        if (directory === undefined || (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    },
  };
}

/** A relative path would lie in the directory that is scanned, so it counts as unset (XDG Base Directory Specification). */
const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);

const homeOf = (env: Env) => absolute(env.HOME || homedir());

/** Where the user's own configuration is. */
export function configHome(env: Env): string | undefined {
  const home = homeOf(env);
  return absolute(env.XDG_CONFIG_HOME) ?? (home && join(home, '.config'));
}

/** @param system for tests */
export function stateDirectory(env: Env, system: string = platform()): string | undefined {
  const home = homeOf(env);
  const parent =
    absolute(env.XDG_STATE_HOME) ??
    (system === 'win32' ? absolute(env.LOCALAPPDATA) : undefined) ??
    (home && join(home, '.local/state'));
  return parent && join(parent, 'svc-agent');
}

/** Version control restores other modes, so a file from a repository is not private. Windows has no modes. */
function isPrivate(file: number): boolean {
  const { mode, uid } = fstatSync(file);
  const user = process.getuid?.();
  return user === undefined || (uid === user && (mode & 0o077) === 0);
}
