import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { AdminError, oneLine, reasonOf } from '../error.ts';
import { decrypted } from './encryption.ts';
import { EndLine, FORMAT, FORMAT_VERSION, Header, MAX_LINE, SectionLine } from './format.ts';
import type { BackupKey } from './keys.ts';

/** A part of a backup, in the order of the file. */
export type Part =
  | { kind: 'header'; header: Header }
  | { kind: 'section'; name: string; columns: string[] }
  /** Lines of the current section, which are not checked. */
  | { kind: 'rows'; lines: string[] }
  | { kind: 'end'; rows: Record<string, number>; sha256: string };

const ROW = '['.charCodeAt(0);
const LINE_BREAK = '\n'.charCodeAt(0);

/**
 * Reads a backup, with bounded memory.
 * @throws AdminError if it is not one, or is truncated or damaged. The caller must not keep anything before the end
 */
export async function* readBackup(path: string, key: BackupKey): AsyncGenerator<Part> {
  const hash = createHash('sha256');
  const counts = new Map<string, number>();
  let section: string | undefined;
  let hasHeader = false;
  let hasEnded = false;
  let rows: string[] = [];
  const taken = (): Part => {
    const lines = rows;
    rows = [];
    counts.set(section ?? '', (counts.get(section ?? '') ?? 0) + lines.length);
    return { kind: 'rows', lines };
  };
  for await (const lines of linesOf(path, key)) {
    for (const line of lines) {
      if (hasEnded) throw damaged(path, 'it has lines after its end');
      if (line[0] === ROW && section !== undefined) {
        rows.push(line.toString());
        hash.update(line).update('\n');
        continue;
      }
      if (rows.length > 0) yield taken();
      const value = parsed(path, line);
      if (!hasHeader) {
        yield { kind: 'header', header: headerOf(path, value) };
        hasHeader = true;
      } else if (typeof value === 'object' && value !== null && 'end' in value) {
        const end = checked(path, EndLine, value);
        if (end.sha256 !== hash.digest('hex')) throw damaged(path, 'its checksum is wrong');
        const stated = new Map(Object.entries(end.rows));
        for (const name of new Set([...counts.keys(), ...stated.keys()]))
          if (counts.get(name) !== stated.get(name))
            throw damaged(path, `rows of ${oneLine(name)} are missing`);
        hasEnded = true;
        yield { kind: 'end', rows: end.rows, sha256: end.sha256 };
        continue;
      } else {
        const { table: name, columns } = checked(path, SectionLine, value);
        if (counts.has(name)) throw damaged(path, `it has ${oneLine(name)} twice`);
        section = name;
        counts.set(name, 0);
        yield { kind: 'section', name, columns };
      }
      hash.update(line).update('\n');
    }
    if (rows.length > 0) yield taken();
  }
  if (!hasEnded) throw damaged(path, 'it is truncated');
}

const damaged = (path: string, reason: string) =>
  new AdminError(`${oneLine(path)} is not a complete backup: ${reason}`);

function headerOf(path: string, value: unknown): Header {
  const format = (value as { format?: unknown } | null)?.format;
  if (format !== FORMAT) throw new AdminError(`${oneLine(path)} is not a backup of an organization`);
  const version = (value as { format_version?: unknown }).format_version;
  if (version !== FORMAT_VERSION)
    throw new AdminError(
      `${oneLine(path)} has format ${oneLine(String(version))}: use a newer version of the service`,
    );
  return checked(path, Header, value);
}

function checked<T extends z.ZodType>(path: string, schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw damaged(path, oneLine(`${issue?.path.join('.') ?? ''}: ${issue?.message}`).slice(0, 300));
}

function parsed(path: string, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    throw damaged(path, 'a line is not JSON');
  }
}

/** The lines of a compressed file, those of each chunk at a time. */
async function* linesOf(path: string, key: BackupKey): AsyncGenerator<Buffer[]> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  let given = 0;
  let isRead = false;
  const zipped = async function* () {
    for await (const chunk of decrypted(key, path)) {
      given += chunk.length;
      yield chunk;
    }
    isRead = true;
  };
  const unzipped = pipeline(zipped, gunzip, () => {});
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      const lines: Buffer[] = [];
      let from = 0;
      for (let to = chunk.indexOf(LINE_BREAK); to >= 0; to = chunk.indexOf(LINE_BREAK, from)) {
        const part = chunk.subarray(from, to);
        lines.push(pending.length > 0 ? Buffer.concat([...pending, part]) : part);
        pending = [];
        pendingBytes = 0;
        from = to + 1;
      }
      if (from < chunk.length) {
        pending.push(chunk.subarray(from));
        pendingBytes += chunk.length - from;
      }
      if (pendingBytes > MAX_LINE) throw damaged(path, 'a line is too long');
      yield lines;
    }
  } catch (error) {
    throw toAdminError(path, error);
  }
  // It ends at the first zero bytes after the compressed data, and leaves the rest of the file unread.
  if (!isRead || gunzip.bytesWritten !== given) throw damaged(path, 'it has bytes after its end');
  if (pending.length > 0) throw damaged(path, 'it is truncated');
}

function toAdminError(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'Z_BUF_ERROR') return damaged(path, 'it is truncated');
  if (code === 'Z_DATA_ERROR') return damaged(path, 'it is damaged, or not compressed with gzip');
  if (/^E[A-Z]+$/.test(code)) return new AdminError(`${oneLine(path)} cannot be read: ${reasonOf(error)}`);
  return error;
}
