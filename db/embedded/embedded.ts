import { openCluster } from './cluster.ts';
import { createDiskGuard, type MeasureDisk } from './disk.ts';
import { prepareServiceRole } from './service-role.ts';
import { joinOrStart, leave, openContext, rejoin } from './share.ts';
import { supervise } from './supervisor.ts';
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
  /** Additional server settings by name. They have no effect on a server that another process has started. */
  settings?: Record<string, string>;
  /** Measures the disk space. Unset: `statfs`. */
  measureDisk?: MeasureDisk;
}

/**
 * Starts PostgreSQL on the data in `dataDir`, or joins the server that another process has started there. A server whose
 * processes have all died is replaced. A server that dies is restarted on the same port. While the disk is full, the
 * database is read-only.
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

async function start({ dataDir, log, settings, measureDisk }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(dataDir);
  const disk = createDiskGuard({ cluster, log, ...(measureDisk && { measure: measureDisk }) });
  const stopping = new AbortController();
  const context = await openContext({
    cluster,
    settings: settings ?? {},
    log,
    disk,
    signal: stopping.signal,
  });
  const joined = await joinOrStart(context);
  const supervisor = supervise(context, joined);
  await disk.watch({ url: joined.url, run: supervisor.run });
  const role = { run: joined.session.run, port: joined.lock.port, password: context.password };
  const url = await prepareServiceRole(role).catch(async (error) => {
    await stop();
    throw error;
  });
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    await disk.end();
    const last = await supervisor.end();
    if (last && (await leave(context, last))) return;
    // The connection was lost just now. Without this, a restarting server would be left running.
    const rejoined = await rejoin(context);
    if (rejoined) await leave(context, rejoined);
  }
  return {
    url,
    adminUrl: joined.url,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
