import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pushedFindingFields } from '../../db/findings/fields.ts';
import {
  definitionsOf,
  insertedColumns,
  insertedValues,
  policyInput,
  updates,
} from '../../db/findings/ingest/push-sql.ts';
import { createIds } from '../../db/ids.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import type { TestOrg } from '../../tests/support/api/client.ts';
import { newRun } from '../../tests/support/load/load.ts';
import type { Scene } from '../../tests/support/scenario/scene.ts';
import { runPsql } from './psql.ts';

export interface Copied {
  org: TestOrg;
  scanId: string;
  /** The fields of all findings, except the fingerprint. */
  fields: Record<string, unknown>;
  sessions: number;
  /** The number of batches of a session. */
  batches: number;
  /** The number of findings of a batch. */
  rows: number;
}

/**
 * Copies findings into a staging table and upserts them with one statement per batch, into the same table as the server. It
 * does without everything else that a push does: looking up the scan, the token, the counts.
 * @returns findings per second
 */
export async function copyFindings({ site, database }: Scene, copied: Copied): Promise<number> {
  const { org, scanId, fields, sessions, batches, rows } = copied;
  const { url } = await database();
  const columns = pushedFindingFields.map(({ name, sqlType }) => ({ name, sqlType }));
  const names = [...columns.map(({ name }) => name), 'id', 'at'];
  const nextId = createIds(() => new Date());
  const run = newRun();
  const begin = `create temp table staging (${columns.map(({ name, sqlType }) => `${name} ${sqlType}`).join(', ')}, id uuid, at timestamptz, actor_id uuid, ${definitionsOf(policyInput)}) on commit delete rows;\n`;
  const upsert = `insert into ${orgSchemaName(org.id)}.findings as f (${insertedColumns})
    select ${insertedValues('i')} from staging i on conflict (project_id, fingerprint) do update set ${updates('f')};\ncommit;\n`;
  const files = Array.from({ length: sessions }, (_, i) => join(site.workDir, `copy-${i}.sql`));
  function* script(session: number) {
    yield begin;
    for (let batch = 0; batch < batches; batch++) {
      yield `begin;\ncopy staging (${names.join(', ')}) from stdin;\n`;
      for (let i = 0; i < rows; i++) {
        const { id, at } = nextId();
        const values: Record<string, unknown> = {
          ...{ ...fields, scan_id: scanId, id, at: at.toISOString() },
          fingerprint: `${Math.random().toString(16).slice(2, 14)}-${run}-${session}-${batch}-${i}`,
        };
        yield `${names.map((name) => values[name] ?? '\\N').join('\t')}\n`;
      }
      yield `\\.\n${upsert}`;
    }
  }
  for (const [i, file] of files.entries()) await pipeline(Readable.from(script(i)), createWriteStream(file));
  const began = performance.now();
  await Promise.all(files.map((file) => runPsql(url, file)));
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all(files.map((file) => rm(file)));
  return (sessions * batches * rows) / seconds;
}
