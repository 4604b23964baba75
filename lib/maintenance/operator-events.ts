import { and, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { operatorEvents } from '../../db/schema/platform.ts';
import { logOperatorEvent } from '../security-events.ts';
import type { Services } from '../services.ts';

const BATCH = 100;
/** A command without an outcome after this time was interrupted. */
const INTERRUPTED_MS = 60 * 60_000;

/** Writes each command of an operator to the security log of one server, once it has ended. */
export async function logOperatorEvents({
  database: { db },
  clock,
  log,
}: Pick<Services, 'database' | 'clock' | 'log'>): Promise<void> {
  const now = clock();
  const hasEnded = or(
    isNotNull(operatorEvents.outcome),
    lt(operatorEvents.at, new Date(now.getTime() - INTERRUPTED_MS)),
  );
  const due = db
    .select({ id: operatorEvents.id })
    .from(operatorEvents)
    .where(and(isNull(operatorEvents.loggedAt), hasEnded))
    .limit(BATCH)
    .for('update', { skipLocked: true });
  const rows = await db
    .update(operatorEvents)
    .set({ loggedAt: now })
    // An array is computed once. A plain subquery may become a join, which applies the limit again for every row.
    .where(sql`${operatorEvents.id} = any(array${due})`)
    .returning();
  for (const { at, operator, command, details, outcome } of rows.sort((a, b) => (a.id < b.id ? -1 : 1)))
    logOperatorEvent(log, 'operator_command', { at, operator, command, ...details, outcome });
}
