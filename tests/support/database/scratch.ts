import { randomBytes } from 'node:crypto';
import { openDatabase } from '../../../db/client.ts';
import { startEmbedded } from '../../../db/embedded/embedded.ts';
import type { Sql } from '../../../db/pool/query.ts';
import type { Site } from '../scenario/site.ts';
import { silentLog } from '../server/log.ts';

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** A new database on a server. */
export interface MadeDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Makes a database with a name of its own. */
export async function makeDatabase(
  serverUrl: string,
  { prefix = 'test', template = 'template0' } = {},
): Promise<MadeDatabase> {
  const name = `${prefix}_${randomBytes(8).toString('hex')}`;
  const admin = openDatabase({ url: serverUrl, max: 1 });
  // Copying files takes less than half of the CPU time that copying through the write-ahead log takes.
  await admin.sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: withDatabase(serverUrl, name),
    async drop() {
      await admin.sql.unsafe(`drop database if exists ${name} with (force)`);
      await admin.close();
    },
  };
}

/** An empty database for one benchmark or soak test. */
export interface ScratchDatabase {
  url: string;
  /** A connection besides the server's. */
  sql: Sql;
  /** `server_version_num` */
  version: number;
  /** The settings that decide what a commit costs. */
  settings: Record<string, string>;
  /** Gives every measurement the same distance to the next checkpoint, where we may. */
  checkpoint(): Promise<void>;
}

const DURABILITY = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];

/** Makes a database on the server at `givenUrl`, or on an embedded one with the settings it is shipped with. */
export async function openScratchDatabase(
  site: Site,
  givenUrl: string | undefined,
): Promise<ScratchDatabase> {
  const { url, drop } = await makeDatabase(givenUrl ?? (await startOwn(site)), { prefix: 'bench' });
  site.onClose(drop);
  // Inserting a million findings takes longer than the default limit.
  const { sql, close } = openDatabase({ url, max: 1, statementMs: 0 });
  site.onClose(close);
  const rows = await sql.unsafe<{ name: string; setting: string }[]>(
    'select name, current_setting(name) as setting from pg_settings where name = any (string_to_array($1, $2))',
    [['server_version_num', ...DURABILITY].join(' '), ' '],
  );
  const settings = Object.fromEntries(rows.map((row) => [row.name, row.setting]));
  return {
    ...{ url, sql, settings, version: Number(settings.server_version_num) },
    async checkpoint() {
      await sql.unsafe('checkpoint').catch(() => {});
    },
  };
}

async function startOwn(site: Site): Promise<string> {
  const embedded = await startEmbedded({ dataDir: site.workDir, log: silentLog });
  site.onClose(() => embedded.stop());
  return embedded.adminUrl;
}
