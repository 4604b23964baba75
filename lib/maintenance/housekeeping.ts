import { eraseAccounts } from '../accounts/deletion/erase.ts';
import { runDeletions } from '../deletions/run.ts';
import { openExpiredRisks } from '../findings/triage/expired-risks.ts';
import type { Logger } from '../logger.ts';
import { tellOfExpiringTokens } from '../notifications/expiring-tokens.ts';
import { startMails } from '../notifications/following.ts';
import { purgeDeletedOrgs } from '../orgs/purge.ts';
import { removeUnverifiedOrgs } from '../orgs/unverified.ts';
import { purgeProjects } from '../projects/purge.ts';
import { transferProjects } from '../projects/transfer/run.ts';
import { failAbandonedImports } from '../reports/leases.ts';
import { removeAllExpired } from '../retention/expire.ts';
import type { Services } from '../services.ts';
import { readBacklog } from './backlog.ts';
import { logOperatorEvents } from './operator-events.ts';
import { purgeExpired } from './purge.ts';
import { purgeOrgs } from './purge-orgs.ts';
import { recheckAllIssues } from './recheck-issues.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The longest time a task delays the next one on the edge, where an invocation may take 15 minutes. */
const EDGE_TASK_MS = 5 * MINUTE_MS;

/** Periodic work of a server. On the edge a cron trigger starts it every minute. */
export interface Task {
  name: string;
  /** The interval. Without it a server runs the task once, and the edge every minute. */
  everyMs?: number;
  /** A server also runs it when it starts. */
  atStart: boolean;
  /** A server also starts a run while the previous one is in progress. Unset: it leaves this run out. */
  mayOverlap?: true;
  run(): Promise<unknown>;
}

/** All periodic work. Several processes may do it at the same time. */
export function housekeeping(services: Services): Task[] {
  const { database, orgMigrations, orgs, mail, outbox, metrics, clock } = services;
  return [
    {
      ...{ name: 'deliver mails', everyMs: 5 * SECOND_MS, atStart: true },
      // A further call makes the delivery in progress read the queue again, so that no mail waits for a slow one.
      mayOverlap: true,
      run: mail.deliverDue,
    },
    {
      ...{ name: 'read backlog', everyMs: 15 * SECOND_MS, atStart: true },
      // Metrics leave out a backlog that cannot be read.
      run: async () =>
        metrics.backlog(await readBacklog(database.db, orgMigrations.length).catch(() => undefined)),
    },
    {
      ...{ name: 'fail abandoned imports', everyMs: 5 * SECOND_MS, atStart: true },
      run: () => failAbandonedImports(services),
    },
    {
      ...{ name: 'open expired risks', everyMs: 30 * SECOND_MS, atStart: true },
      run: () => openExpiredRisks(services),
    },
    {
      ...{ name: 'purge deleted projects', everyMs: 5 * SECOND_MS, atStart: true },
      run: () => purgeProjects(services),
    },
    {
      ...{ name: 'delete and restore findings', everyMs: 5 * SECOND_MS, atStart: true },
      run: () => runDeletions(services),
    },
    {
      ...{ name: 'transfer projects', everyMs: 5 * SECOND_MS, atStart: true },
      run: () => transferProjects(services),
    },
    {
      ...{ name: 'remove expired findings and scans', everyMs: MINUTE_MS, atStart: true },
      run: () => removeAllExpired(services),
    },
    {
      ...{ name: 'remove organizations of unverified accounts', everyMs: 10 * MINUTE_MS, atStart: true },
      run: () => removeUnverifiedOrgs(services),
    },
    {
      ...{ name: 'purge deleted organizations', everyMs: 10 * MINUTE_MS, atStart: true },
      run: () => purgeDeletedOrgs(services),
    },
    {
      ...{ name: 'erase deleted accounts', everyMs: 5 * SECOND_MS, atStart: true },
      run: () => eraseAccounts(services),
    },
    {
      ...{ name: 'log commands of operators', everyMs: 15 * SECOND_MS, atStart: true },
      run: () => logOperatorEvents(services),
    },
    {
      ...{ name: 'start mails to members', everyMs: 5 * MINUTE_MS, atStart: true },
      run: () => startMails(database.db, clock()),
    },
    {
      ...{ name: 'tell of expiring tokens', everyMs: HOUR_MS, atStart: true },
      run: () => tellOfExpiringTokens(services),
    },
    {
      ...{ name: 'purge', everyMs: HOUR_MS, atStart: false },
      run: () => purgeExpired(database.db, clock()),
    },
    {
      ...{ name: 'purge organizations', everyMs: 6 * HOUR_MS, atStart: false },
      run: () => purgeOrgs(services),
    },
    {
      ...{ name: 'read issues again', everyMs: 30 * MINUTE_MS, atStart: false },
      run: () => recheckAllIssues(services),
    },
    // Retries until all are migrated. A request that names an organization that is behind migrates it too.
    { name: 'migrate organizations', atStart: true, run: orgs.migrateAll },
    // For organizations that a request migrated after the start.
    { name: 'create indexes', everyMs: HOUR_MS, atStart: false, run: orgs.createIndexes },
    // The last one, because receivers may be slow, and the edge runs the tasks one after another.
    {
      ...{ name: 'publish events and deliver them', everyMs: 5 * SECOND_MS, atStart: true },
      // A further call makes the delivery in progress look for destinations that are due, so that none waits for a slow one.
      mayOverlap: true,
      run: () => outbox.run(),
    },
  ];
}

/** Runs a task. Never rejects. */
const runTask = ({ name, run }: Task, log: Logger): Promise<unknown> =>
  run().catch((error) => log.error('periodic task failed', { task: name, error }));

/**
 * Runs the tasks of a server. Intervals vary by up to a quarter, so that processes do not run a task at the same moment. While
 * a run is in progress, the next ones of its task are left out: a slow database would otherwise get ever more of them.
 * @returns a function that ends it
 */
export function startTasks(tasks: readonly Task[], log: Logger): () => void {
  const timers = new Map<Task, NodeJS.Timeout>();
  const running = new Set<Task>();
  const start = (task: Task) => {
    if (running.has(task) && !task.mayOverlap) return;
    running.add(task);
    void runTask(task, log).finally(() => running.delete(task));
  };
  const schedule = (task: Task, everyMs: number) => {
    const next = () => {
      schedule(task, everyMs);
      start(task);
    };
    timers.set(task, setTimeout(next, everyMs * (0.75 + Math.random() / 2)).unref());
  };
  for (const task of tasks) {
    if (task.everyMs !== undefined) schedule(task, task.everyMs);
    if (task.atStart) start(task);
  }
  return () => {
    for (const timer of timers.values()) clearTimeout(timer);
  };
}

/** Runs the tasks that are due in this minute, one after another. */
export async function runDueTasks(tasks: readonly Task[], time: Date, log: Logger): Promise<void> {
  const minute = Math.floor(time.getTime() / MINUTE_MS);
  for (const task of tasks) {
    if (minute % Math.ceil((task.everyMs ?? MINUTE_MS) / MINUTE_MS) !== 0) continue;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise((resolve) => {
      timer = setTimeout(resolve, EDGE_TASK_MS);
    });
    await Promise.race([runTask(task, log), over]).finally(() => clearTimeout(timer));
  }
}
