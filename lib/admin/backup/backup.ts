import { createHash } from 'node:crypto';
import { type FileHandle, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { eq, sql } from 'drizzle-orm';
import { orgTableNames } from '../../../db/backup/sections.ts';
import { readSnapshot, type Section } from '../../../db/backup/snapshot.ts';
import type { Database } from '../../../db/client.ts';
import type { Migration } from '../../../db/migrations/migrate.ts';
import { readDeletion, SETTLED_MS } from '../../../db/orgs/deletion.ts';
import { readableTables } from '../../../db/orgs/tables.ts';
import { orgs, reportImports } from '../../../db/schema/orgs.ts';
import { run } from '../../../db/statements.ts';
import { VERSION } from '../../config/version.ts';
import type { Logger } from '../../logger.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { AdminError, EXIT } from '../error.ts';
import { operator } from '../operator.ts';
import { findOrg } from '../orgs.ts';
import { encrypted } from './encryption.ts';
import { FORMAT, FORMAT_VERSION, type Header, MAX_LINE } from './format.ts';
import type { BackupKey } from './keys.ts';
import { writeFileSafely } from './output-file.ts';

export interface BackupCall {
  database: Database;
  log: Logger;
  migrations: readonly Migration[];
}

export interface BackupResult {
  org_id: string;
  org: string;
  file: string;
  encryption: BackupKey['kind'];
  bytes: number;
  /** By section. */
  rows: Record<string, number>;
}

/** Level 6 takes twice as long for a tenth less. */
const GZIP_LEVEL = 3;

/** Writes an organization to a file, in one snapshot. Servers may run. */
export async function backupOrg(
  { database, log, migrations }: BackupCall,
  orgName: string,
  { key, ...options }: { key: BackupKey; file?: string | undefined; force?: boolean | undefined },
): Promise<BackupResult> {
  if (options.file === '-') throw new AdminError('a backup is written to a file, not to a pipe', EXIT.usage);
  const org = await findOrg(database.db, orgName);
  const { schemaName: schema } = (await readableTables(database.sql, org, migrations)).schema;
  const now = new Date();
  await requireSettled(database, org, now);
  const file = resolve(
    options.file ?? `${org.slug}-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`,
  );
  const result = await writeFileSafely(file, options.force ?? false, async (output) => {
    const rows: Record<string, number> = {};
    await readSnapshot(
      database.sql,
      { orgId: org.id, schema, tables: orgTableNames(migrations), migrations },
      async (sections, tx) => {
        const [current] = await run<{ slug: string; name: string; version: number }>(
          tx,
          sql`select slug, name, schema_version as version from ${orgs} where id = ${org.id}::uuid`,
        );
        requireVersion(org, current?.version ?? 0, migrations.length);
        const header: Header = {
          ...{ format: FORMAT, format_version: FORMAT_VERSION, service_version: VERSION },
          ...{ schema_version: migrations.length, created_at: now.toISOString() },
          org: { id: org.id, slug: current?.slug ?? org.slug, name: current?.name ?? org.name },
        };
        await writeSealed(linesOf(header, sections, rows), key, output);
      },
    );
    return { rows, bytes: (await output.stat()).size };
  });
  const written = { org: org.slug, org_id: org.id, file, encryption: key.kind };
  logOperatorEvent(log, 'org_backed_up', { ...written, operator: operator() });
  return { ...written, ...result };
}

/**
 * Refuses the backup of a deleted organization while requests that were admitted before its deletion may still write: their findings
 * would be missing where the organization is restored.
 */
async function requireSettled({ db }: Database, org: { id: string; slug: string }, now: Date): Promise<void> {
  const deletion = await readDeletion(db, org.id);
  if (!deletion) return;
  const waitMs = deletion.deletedAt.getTime() + SETTLED_MS - now.getTime();
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1_000);
    throw new AdminError(
      `${org.slug} was deleted lately, and servers may still write: try again in ${seconds} s`,
    );
  }
  if ((await db.$count(reportImports, eq(reportImports.orgId, org.id))) > 0)
    throw new AdminError(`a report is being imported into ${org.slug}: try again in some minutes`);
}

function requireVersion(
  { slug, schema_version: before }: { slug: string; schema_version: number },
  version: number,
  current: number,
): void {
  if (before === 0 && version === 0) return;
  if (before === 0) throw new AdminError(`${slug} got its first data at this moment: try again`);
  if (version < current) throw new AdminError(`the schema of ${slug} is behind: run "migrate" first`);
  if (version > current)
    throw new AdminError(`a newer version of the service has migrated ${slug}: use that version`);
}

/** The lines of the file, and the number of rows of each section in `rows`. */
async function* linesOf(
  header: Header,
  sections: AsyncIterable<Section>,
  rows: Record<string, number>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (chunk: Buffer) => {
    hash.update(chunk);
    return chunk;
  };
  const line = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);
  yield hashed(line(header));
  for await (const section of sections) {
    yield hashed(line({ table: section.name, columns: section.columns }));
    let count = 0;
    for await (const fetched of section.rows()) {
      count += fetched.length;
      yield hashed(joined(fetched));
    }
    rows[section.name] = count;
  }
  yield line({ end: true, rows, sha256: hash.digest('hex') });
}

const LINE_BREAK = Buffer.from('\n');

function joined(lines: Uint8Array[]): Buffer {
  for (const { length } of lines)
    if (length > MAX_LINE) throw new AdminError(`a row has ${length} bytes, more than a backup can hold`);
  return Buffer.concat(lines.flatMap((line) => [line, LINE_BREAK]));
}

const writeSealed = (lines: AsyncIterable<Buffer>, key: BackupKey, output: FileHandle) =>
  pipeline(
    Readable.from(lines, { objectMode: true, highWaterMark: 1 }),
    createGzip({ level: GZIP_LEVEL }),
    (zipped: AsyncIterable<Buffer>) => writeFile(output, encrypted(key, zipped)),
  );
