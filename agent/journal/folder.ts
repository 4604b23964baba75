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
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';

// Windows does not define these flags. The checks before and after opening replace them.
const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * A directory in a workspace that may contain hostile content. The directory and its entries must not be symbolic
 * links. On Linux, entries are opened through the descriptor of the directory (like openat), so replacing the path by a
 * link has no effect. On other systems, the directory is compared before and the file after each open.
 */
export interface Folder {
  /** The path that messages show. */
  readonly path: string;
  /** The path of an entry for node:fs. Do not pass it to calls that follow a link at the end of a path. */
  pathOf(name: string): string;
  list(): string[];
  /** Opens a regular file. @throws UsageError for a link or another file type */
  open(name: string, flags: number, mode?: number): number;
  /** Reads a regular file; undefined if it does not exist. @throws UsageError like `open` */
  read(name: string, maxBytes?: number): string | undefined;
  /** Opens a subdirectory; undefined if it does not exist and `create` is not set. */
  openFolder(name: string, options?: { create?: boolean }): Folder | undefined;
  close(): void;
}

/** Opens a directory of a workspace, such as `.svc`. The user chose the workspace, so its path may contain links. */
export function openFolder(
  workspace: string,
  name: string,
  { create = false }: { create?: boolean } = {},
): Folder | undefined {
  return openAt(join(workspace, name), join(workspace, name), create);
}

/** @param actualPath path for node:fs @param displayPath path that messages show */
function openAt(actualPath: string, displayPath: string, create: boolean): Folder | undefined {
  if (create) ignoreError('EEXIST', () => mkdirSync(actualPath));
  rejectLink(actualPath, displayPath);
  const fd = ignoreError('ENOENT', () => {
    try {
      return openSync(actualPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      // The directory may have been replaced by a link after the first check.
      rejectLink(actualPath, displayPath);
      if (errorCode(error) === 'ENOTDIR') throw new UsageError(`${displayPath} is not a directory`);
      throw withDisplayPath(error, actualPath, displayPath);
    }
  });
  if (fd === undefined) return undefined;
  const ownIdentity = identity(fstatSync(fd, { bigint: true }));
  if (!fstatSync(fd).isDirectory()) {
    closeSync(fd);
    throw new UsageError(`${displayPath} is not a directory`);
  }
  const fdPath = descriptorPath(fd, ownIdentity);
  let isOpen = true;

  function basePath(): string {
    if (!isOpen) throw new Error(`${displayPath} is closed`);
    if (fdPath !== undefined) return fdPath;
    if (identityAt(actualPath) !== ownIdentity)
      throw new UsageError(`${displayPath} was replaced while it was in use`);
    return actualPath;
  }

  function entryPath(name: string): string {
    if (basename(name) !== name || name === '..' || name === '.')
      throw new Error(`${name} is not a file name`);
    return join(basePath(), name);
  }

  return {
    path: displayPath,
    pathOf: entryPath,
    list: () => readdirSync(basePath()).sort(),
    open(name, flags, mode) {
      const entry = entryPath(name);
      const shownPath = join(displayPath, name);
      rejectLink(entry, shownPath);
      let file: number;
      try {
        file = openSync(entry, flags | O_NOFOLLOW | O_NONBLOCK, mode);
      } catch (error) {
        if (errorCode(error) === 'ELOOP') throw new UsageError(linkMessage(shownPath));
        throw withDisplayPath(error, entry, shownPath);
      }
      const stat = fstatSync(file, { bigint: true });
      const isSame = fdPath !== undefined || identityAt(entryPath(name)) === identity(stat);
      if (stat.isFile() && isSame) return file;
      closeSync(file);
      throw new UsageError(`${shownPath} is not a regular file`);
    },
    read(name, maxBytes = Number.POSITIVE_INFINITY) {
      const file = ignoreError('ENOENT', () => this.open(name, O_RDONLY));
      if (file === undefined) return undefined;
      try {
        if (fstatSync(file).size > maxBytes)
          throw new UsageError(`${join(displayPath, name)} is larger than ${maxBytes} bytes`);
        return readFileSync(file, 'utf8');
      } finally {
        closeSync(file);
      }
    },
    openFolder: (name, { create: createMissing = false } = {}) =>
      openAt(entryPath(name), join(displayPath, name), createMissing),
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

const linkMessage = (path: string) =>
  `${path} is a symbolic link. The agent does not follow symbolic links in .svc, because a repository can contain them. Replace the link with the file or directory that it points to.`;

function rejectLink(actualPath: string, displayPath: string): void {
  if (lstatSync(actualPath, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UsageError(linkMessage(displayPath));
}

/** The /proc path of an open directory on Linux; undefined on other systems. */
function descriptorPath(fd: number, expected: string): string | undefined {
  const path = `/proc/self/fd/${fd}`;
  try {
    return identity(statSync(`${path}/.`, { bigint: true })) === expected ? path : undefined;
  } catch {
    return undefined;
  }
}

const identity = ({ dev, ino }: { dev: bigint; ino: bigint }) => `${dev} ${ino}`;

function identityAt(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && identity(stat);
}

/**
 * Creates a directory and its parents. `mkdirSync` with `recursive` never returns if a parent exists and a directory in it can
 * neither be found nor created, as in `/proc`.
 */
export function createDirectory(path: string, mode?: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) createDirectory(dirname(path), mode);
  ignoreError('EEXIST', () => mkdirSync(path, { mode }));
}

export const errorCode = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code;

function ignoreError<T>(code: string, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (errorCode(error) !== code) throw error;
    return undefined;
  }
}

/** Replaces the actual path in the message of a system error. */
function withDisplayPath(error: unknown, actualPath: string, displayPath: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(actualPath, displayPath);
  return error;
}
