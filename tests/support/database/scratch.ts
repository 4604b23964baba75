import { randomBytes } from 'node:crypto';
import type { Sql } from 'postgres';
import { openDatabase } from '../../../db/client.ts';
import { startEmbedded } from '../../../db/embedded/embedded.ts';
import type { Site } from '../scenario/site.ts';
import { silentLog } from '../server/log.ts';

/** An empty database for one benchmark. */
export interface BenchDatabase {
  url: string;
  /** A connection beside the server's, for looking at the result. */
  sql: Sql;
  /** `server_version_num` */
  version: number;
  /** The settings that decide what a commit costs. */
  settings: Record<string, string>;
  /** Lets every measurement begin with the same distance to the next checkpoint, where we may. */
  checkpoint(): Promise<void>;
}

const DURABILITY = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers'];

/** Makes a database: on the server `givenUrl` leads to, or on an embedded one with the settings it is shipped with. */
export async function openBenchDatabase(site: Site, givenUrl: string | undefined): Promise<BenchDatabase> {
  const serverUrl = givenUrl ?? (await startOwn(site));
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const admin = openDatabase({ url: serverUrl, max: 1 });
  site.onClose(() => admin.close());
  await admin.sql.unsafe(`create database ${name}`);
  site.onClose(() => admin.sql.unsafe(`drop database if exists ${name} with (force)`));

  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  // Making a million findings takes a while.
  const { sql, close } = openDatabase({ url: url.href, max: 1, statementMs: 0 });
  site.onClose(close);
  const rows = await sql.unsafe<{ name: string; setting: string }[]>(
    'select name, current_setting(name) as setting from pg_settings where name = any (string_to_array($1, $2))',
    [['server_version_num', ...DURABILITY].join(' '), ' '],
  );
  const settings = Object.fromEntries(rows.map((row) => [row.name, row.setting]));
  return {
    url: url.href,
    sql,
    version: Number(settings.server_version_num),
    settings,
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
