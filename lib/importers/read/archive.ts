import { unzipSync } from 'fflate';
import { type Report, ReportError } from '../importer.ts';
import { decodeText } from './encoding.ts';

/** Whether bytes are a ZIP archive. */
export const isArchive = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 &&
  bytes[1] === 0x4b &&
  ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6));

/** The size of all files of an archive, as it states it. @throws ReportError if the archive is damaged or has too many files */
export function unpackedSize(bytes: Uint8Array): number {
  let size = 0;
  unpack(bytes, ({ originalSize }) => {
    size += originalSize;
    return false;
  });
  return size;
}

/** The limits of a file in an archive, against ZIP bombs. Deflate compresses XML by a factor of 10 to 50. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_RATIO = 200;
const FREE_BYTES = 1024 * 1024;

/** An archive states the number of its files, up to 4 billion, and the reader believes it. */
const MAX_FILES = 100_000;

/**
 * Opens a ZIP archive, of which `read` unpacks single files.
 * @param maxBytes the limit of an unpacked file
 * @param warn called if the encoding of a file is a guess
 * @throws ReportError if the archive is damaged or has too many files
 */
export function openArchive(
  bytes: Uint8Array,
  maxBytes = MAX_BYTES,
  warn?: (message: string) => void,
): Report {
  const names = new Set<string>();
  unpack(bytes, ({ name }) => {
    names.add(name);
    return false;
  });
  const read = (name: string): string | undefined => {
    if (!names.has(name)) return undefined;
    const files = unpack(bytes, (file) => {
      if (file.name !== name) return false;
      const { originalSize: size, size: packed } = file;
      if (size > maxBytes || (size > FREE_BYTES && size > packed * MAX_RATIO))
        throw new ReportError(`${name} is too large: ${size} bytes, packed in ${packed}`);
      return true;
    });
    const file = files[name];
    return file && decodeText(file, warn);
  };
  return { kind: 'archive', names: [...names], read };
}

interface Entry {
  name: string;
  /** Packed. */
  size: number;
  /** As the archive says. Not more is unpacked. */
  originalSize: number;
}

function unpack(bytes: Uint8Array, filter: (file: Entry) => boolean): Record<string, Uint8Array> {
  let count = 0;
  const limited = (file: Entry) => {
    if (++count > MAX_FILES) throw new ReportError(`The archive has more than ${MAX_FILES} files`);
    return filter(file);
  };
  try {
    return unzipSync(bytes, { filter: limited });
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError(`The archive cannot be read: ${(error as Error).message}`);
  }
}
