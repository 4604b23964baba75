import { openCluster } from './cluster.ts';
import { createDiskGuard, type MeasureDisk } from './disk.ts';
import { prepareServiceRole } from './service-role.ts';
import { joinOrStart, leave, openSite, rejoin } from './share.ts';
import { supervise } from './supervisor.ts';
import { type EmbeddedLog, EmbeddedUnavailable, INSTEAD } from './system.ts';

export { EmbeddedUnavailable };

/** This process's share in an embedded server. */
export interface EmbeddedPostgres {
  /**
   * `postgres://svc_app:<password>@127.0.0.1:<port>/postgres`, as the role that owns the service's schemas and nothing
   * else; holds until `stop`, also when the server had to be restarted.
   */
  url: string;
  /** The same as the superuser `svc`, for tools that create databases. */
  adminUrl: string;
  /** Gives up the share; the last process to do so stops the server. Close other connections first. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Everything is kept in `postgres` in here; made when missing. */
  dataDir: string;
  log: EmbeddedLog;
  /** More server settings, by name; without effect on a server that another process has started. */
  settings?: Record<string, string>;
  /** How the space on the disk is found out; unset: by asking the file system. */
  measureDisk?: MeasureDisk;
}

/**
 * Starts PostgreSQL on the data in `dataDir`, which is created the first time, or joins the server that another
 * process has started there. A server whose processes have all died is replaced; one that dies is started again, at
 * the same address. While its disk is full it takes no writes.
 * @throws EmbeddedUnavailable when it cannot be had on this system or in this directory
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

async function start({ dataDir, log, settings, measureDisk }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir);
  const disk = createDiskGuard({ cluster, log, ...(measureDisk && { measure: measureDisk }) });
  const stopping = new AbortController();
  const site = await openSite({ cluster, settings: settings ?? {}, log, disk, signal: stopping.signal });
  const share = await joinOrStart(site);
  const supervisor = supervise(site, share);
  await disk.watch({ url: share.url, run: supervisor.run });
  const role = { run: share.session.run, port: share.lock.port, password: site.password };
  const url = await prepareServiceRole(role).catch(async (error) => {
    await stop();
    throw error;
  });
  let left: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    await disk.end();
    const last = await supervisor.end();
    if (last && (await leave(site, last))) return;
    // It was lost just now, and the server may be coming back with nobody to stop it.
    const again = await rejoin(site);
    if (again) await leave(site, again);
  }
  return {
    url,
    adminUrl: share.url,
    stop() {
      left ??= stop();
      return left;
    },
  };
}
