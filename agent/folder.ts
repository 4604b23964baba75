import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from './errors.ts';

// Windows has none of these. There the checks before and after opening do the work.
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * A directory in a workspace that may hold hostile content. Symbolic links are refused: at the directory, and at its
 * entries. Linux reaches entries through the open directory (like openat), so a path that is replaced by a link in the
 * meantime leads nowhere else. Other systems compare the directory before and the file after each open.
 */
export interface Folder {
  /** For messages. */
  readonly path: string;
  /** A path for node:fs to an entry of this very directory. It must not be used by calls that follow a link at its end. */
  at(name: string): string;
  names(): string[];
  /** Opens a regular file. @throws UsageError for a link or anything else that is no regular file */
  open(name: string, flags: number, mode?: number): number;
  /** The content of a regular file; undefined when it does not exist. @throws UsageError as `open` does */
  read(name: string, maxBytes?: number): string | undefined;
  /** A directory in this one; undefined when it does not exist and `create` is not set. */
  folder(name: string, options?: { create?: boolean }): Folder | undefined;
  close(): void;
}

/** Opens a directory of a workspace, such as `.svc`. The workspace itself is the user's word and may be a link. */
export function openFolder(
  workspace: string,
  name: string,
  { create = false }: { create?: boolean } = {},
): Folder | undefined {
  return openAt(join(workspace, name), join(workspace, name), create);
}

/** @param at where it is now; @param path how messages name it */
function openAt(at: string, path: string, create: boolean): Folder | undefined {
  if (create) ignoring('EEXIST', () => mkdirSync(at));
  refuseLink(at, path);
  const fd = ignoring('ENOENT', () => {
    try {
      return openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      // It may have become a link just now.
      refuseLink(at, path);
      if (codeOf(error) === 'ENOTDIR') throw new UsageError(`${path} is no directory`);
      throw renamed(error, at, path);
    }
  });
  if (fd === undefined) return undefined;
  const own = identity(fstatSync(fd, { bigint: true }));
  if (!fstatSync(fd).isDirectory()) {
    closeSync(fd);
    throw new UsageError(`${path} is no directory`);
  }
  const through = descriptorPath(fd, own);
  let isOpen = true;

  function here(): string {
    if (!isOpen) throw new Error(`${path} is closed`);
    if (through !== undefined) return through;
    if (identityOf(at) !== own) throw new UsageError(`${path} was replaced while it was in use`);
    return at;
  }

  function entryOf(name: string): string {
    if (basename(name) !== name || name === '..' || name === '.') throw new Error(`${name} is no file name`);
    return join(here(), name);
  }

  return {
    path,
    at: entryOf,
    names: () => readdirSync(here()).sort(),
    open(name, flags, mode) {
      const entry = entryOf(name);
      const shown = join(path, name);
      refuseLink(entry, shown);
      let file: number;
      try {
        file = openSync(entry, flags | O_NOFOLLOW | O_NONBLOCK, mode);
      } catch (error) {
        if (codeOf(error) === 'ELOOP') throw new UsageError(linkMessage(shown));
        throw renamed(error, entry, shown);
      }
      const stat = fstatSync(file, { bigint: true });
      const isSame = through !== undefined || identityOf(entryOf(name)) === identity(stat);
      if (stat.isFile() && isSame) return file;
      closeSync(file);
      throw new UsageError(`${shown} is no regular file`);
    },
    read(name, maxBytes = Number.POSITIVE_INFINITY) {
      const file = ignoring('ENOENT', () => this.open(name, O_RDONLY));
      if (file === undefined) return undefined;
      try {
        if (fstatSync(file).size > maxBytes)
          throw new UsageError(`${join(path, name)} is larger than ${maxBytes} bytes`);
        return readFileSync(file, 'utf8');
      } finally {
        closeSync(file);
      }
    },
    folder: (name, { create: make = false } = {}) => openAt(entryOf(name), join(path, name), make),
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

const linkMessage = (path: string) =>
  `${path} is a symbolic link. The agent follows no links in .svc, because a repository can bring them. Replace it with what it points to.`;

function refuseLink(at: string, path: string): void {
  if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) throw new UsageError(linkMessage(path));
}

/** The path that names an open directory on Linux; undefined where the system has none. */
function descriptorPath(fd: number, own: string): string | undefined {
  const path = `/proc/self/fd/${fd}`;
  try {
    return identity(statSync(`${path}/.`, { bigint: true })) === own ? path : undefined;
  } catch {
    return undefined;
  }
}

const identity = ({ dev, ino }: { dev: bigint; ino: bigint }) => `${dev} ${ino}`;

function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && identity(stat);
}

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code;

function ignoring<T>(code: string, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (codeOf(error) !== code) throw error;
    return undefined;
  }
}

/** A system error whose message names the path that people know. */
function renamed(error: unknown, at: string, path: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(at, path);
  return error;
}
