import { join } from 'node:path';
import { findPackage, prepareBinaries } from './binaries.ts';
import { openCluster, readPassword } from './cluster.ts';
import { createDiskGuard, type MeasureDisk } from './disk.ts';
import { openServer } from './server.ts';
import { prepareServiceRole } from './service-role.ts';
import { type EmbeddedLog, EmbeddedUnavailable, INSTEAD } from './system.ts';

export { EmbeddedUnavailable };

/** An embedded server that this process uses, together with others if they have the same data directory. */
export interface EmbeddedPostgres {
  /**
   * `postgres://svc_app:<password>@127.0.0.1:<port>/postgres`. The role owns the service's schemas only. Valid until `stop`,
   * even if the server restarts.
   */
  url: string;
  /** The URL of the superuser `svc`, for tools that create databases. */
  adminUrl: string;
  /** Ends the use. The last process stops the server. Close other connections first. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** All data is in its subfolder `postgres`. Created if missing. */
  dataDir: string;
  log: EmbeddedLog;
  /** Additional server settings by name. They have no effect on a server that is running already. */
  settings?: Record<string, string>;
  /** Measures the disk space. Unset: `statfs`. */
  measureDisk?: MeasureDisk;
}

/**
 * Starts PostgreSQL on the data in `dataDir`, or joins the server that is running there, even if the process that started it has
 * died. A server that dies is restarted on the same port. While the disk is full, the database is read-only.
 * @throws EmbeddedUnavailable when PostgreSQL cannot run on this system or in this directory
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (!syscall) throw error;
    throw new EmbeddedUnavailable(
      `cannot keep a database in ${options.dataDir} (${message}): set SVC_DATA_DIR to another directory, or ${INSTEAD}`,
    );
  }
}

async function start({
  dataDir,
  log,
  settings = {},
  measureDisk,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir);
  const disk = createDiskGuard(cluster, log, measureDisk);
  await disk.freeReserve();
  const password = await readPassword(cluster);
  const found = await findPackage();
  const copies = [join(cluster.home, `runtime-${found.version}`)];
  // The user may not be able to enter the data directory.
  if (cluster.user) copies.unshift(`/var/cache/svc-findings/postgres-${found.version}`);
  const binaries = await prepareBinaries(found.dir, cluster.user, copies);
  const server = await openServer({ cluster, password, binaries, settings, disk, log });
  try {
    return { url: await prepareServiceRole(server, password), adminUrl: server.url, stop: server.stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
