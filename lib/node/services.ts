import { type Database, openDatabase } from '../../db/client.ts';
import { connectServices, createCore, type Platform, type Services } from '../services.ts';
import { readMailSecret } from './mail-secret.ts';

/** The services of a process, over a pool of connections. */
export async function createServices(platform: Platform & { databaseUrl: string }): Promise<Services> {
  const { config, log, databaseUrl } = platform;
  const max = config.dbPoolMax;
  const database: Database = openDatabase({
    url: databaseUrl,
    max,
    onPooler: () => log.info('the database is behind a connection pooler: no statements are prepared'),
  });
  const mailSecret = await readMailSecret(config, log);
  const core = await createCore({ ...platform, mailSecret }, database.pool);
  return connectServices(core, { database, max });
}
